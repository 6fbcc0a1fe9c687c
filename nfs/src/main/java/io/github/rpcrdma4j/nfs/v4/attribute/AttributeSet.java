package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.StringJoiner;
import java.util.function.Predicate;

/**
 * A set of attributes, by their numbers (RFC 8881, Section 5). A peer may name attributes that no
 * RFC defines.
 */
public record AttributeSet(Bitmap numbers) {
    /** No attributes. */
    public static final AttributeSet NONE = new AttributeSet(Bitmap.EMPTY);

    /** The attributes that SETATTR can set at a server that supports them. */
    public static final AttributeSet SETTABLE = where(Attribute::isSettable);

    /** The attributes that GETATTR can ask for. */
    public static final AttributeSet READABLE = where(Attribute::isReadable);

    public static AttributeSet of(Attribute... attributes) {
        var set = NONE;
        for (var each : attributes) {
            set = set.with(each);
        }
        return set;
    }

    private static AttributeSet where(Predicate<Attribute> condition) {
        var set = NONE;
        for (var each : Attribute.values()) {
            if (condition.test(each)) {
                set = set.with(each);
            }
        }
        return set;
    }

    /** Returns the attributes that a minor version knows, those of earlier versions included. */
    public static AttributeSet ofMinorVersion(int minorVersion) {
        return where(each -> each.minorVersion() <= minorVersion);
    }

    /** Returns the attributes that each server of a minor version has. */
    public static AttributeSet requiredBy(int minorVersion) {
        return where(each -> each.isRequired() && each.minorVersion() <= minorVersion);
    }

    public static AttributeSet decode(XdrReader in) throws XdrException {
        var numbers = Bitmap.decode(in);
        return numbers.isEmpty() ? NONE : new AttributeSet(numbers);
    }

    public XdrWriter encode(XdrWriter out) {
        return numbers.encode(out);
    }

    public boolean isEmpty() {
        return numbers.isEmpty();
    }

    public boolean has(Attribute attribute) {
        return numbers.has(attribute.number());
    }

    /** Returns whether all attributes of another set are in this one. */
    public boolean hasAll(AttributeSet other) {
        return numbers.hasAll(other.numbers);
    }

    public AttributeSet with(Attribute attribute) {
        return new AttributeSet(numbers.with(attribute.number()));
    }

    public AttributeSet and(AttributeSet other) {
        return new AttributeSet(numbers.and(other.numbers));
    }

    public AttributeSet or(AttributeSet other) {
        return new AttributeSet(numbers.or(other.numbers));
    }

    public AttributeSet without(AttributeSet other) {
        return new AttributeSet(numbers.without(other.numbers));
    }

    public AttributeSet without(Attribute... attributes) {
        return without(of(attributes));
    }

    /** Returns the names of the attributes, and the numbers of those that no RFC defines. */
    @Override
    public String toString() {
        var names = new StringJoiner(" ", "[", "]");
        for (int i = numbers.next(0); i >= 0; i = numbers.next(i + 1)) {
            names.add(Attribute.of(i).map(Attribute::name).orElse(Integer.toString(i)));
        }
        return names.toString();
    }
}
