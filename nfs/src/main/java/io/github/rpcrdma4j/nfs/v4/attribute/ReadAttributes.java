package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The attributes that a client has got from a server, decoded. Immutable. {@link AttributeWriter}
 * writes the same bytes again if all are present.
 */
public final class ReadAttributes implements FileFacts {
    private final AttributeSet present;
    private final Map<Attribute, Object> values;

    private ReadAttributes(AttributeSet present, Map<Attribute, Object> values) {
        this.present = present;
        this.values = values;
    }

    /**
     * Decodes the attributes of a result.
     *
     * @throws XdrException if a value is malformed, if bytes are left over, or for an attribute
     *     with the layout OTHER or an unknown one
     */
    public static ReadAttributes decode(EncodedAttributes encoded) throws XdrException {
        var values = new EnumMap<Attribute, Object>(Attribute.class);
        var numbers = encoded.attributes().numbers();
        var in = encoded.reader();
        for (int i = numbers.next(0); i >= 0; i = numbers.next(i + 1)) {
            var found = Attribute.of(i);
            if (found.isEmpty()) {
                throw new XdrException("attribute " + i + " is not known");
            }
            values.put(found.get(), value(found.get(), in));
        }
        in.finish();
        return new ReadAttributes(encoded.attributes(), values);
    }

    private static Object value(Attribute attribute, XdrReader in) throws XdrException {
        return switch (attribute.layout()) {
            case BOOL -> in.bool();
            case WORD -> in.uint32();
            case HYPER -> in.uint64();
            case TIME -> Timestamp.decode(in);
            case FILE_SYSTEM -> FileSystemId.decode(in);
            case BYTES -> in.bytes(Integer.MAX_VALUE);
            case ATTRIBUTES -> AttributeSet.decode(in);
            case ACES -> Ace.decodeAll(in);
            case LOCATIONS -> FsLocations.decode(in);
            case OPEN_ARGUMENTS -> OpenSupport.decode(in);
            case OTHER ->
                    throw new XdrException("no value of " + attribute + " is expected in results");
        };
    }

    private <T> T value(Attribute attribute, Class<T> type) {
        var value = values.get(attribute);
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("there is no such value of " + attribute);
        }
        return type.cast(value);
    }

    @Override
    public AttributeSet present() {
        return present;
    }

    @Override
    public boolean flag(Attribute attribute) {
        return value(attribute, Boolean.class);
    }

    @Override
    public int word(Attribute attribute) {
        return value(attribute, Integer.class);
    }

    @Override
    public long hyper(Attribute attribute) {
        return value(attribute, Long.class);
    }

    @Override
    public Timestamp time(Attribute attribute) {
        return value(attribute, Timestamp.class);
    }

    /** Returns a copy of the value. */
    @Override
    public byte[] bytes(Attribute attribute) {
        return value(attribute, byte[].class).clone();
    }

    @Override
    public AttributeSet attributes(Attribute attribute) {
        return value(attribute, AttributeSet.class);
    }

    @Override
    public FileSystemId fileSystem() {
        return value(Attribute.FSID, FileSystemId.class);
    }

    @Override
    @SuppressWarnings("unchecked") // value() put a list of these there
    public List<Ace> acl() {
        return value(Attribute.ACL, List.class);
    }

    @Override
    public FsLocations locations() {
        return value(Attribute.FS_LOCATIONS, FsLocations.class);
    }

    @Override
    public OpenSupport openSupport() {
        return value(Attribute.OPEN_ARGUMENTS, OpenSupport.class);
    }
}
