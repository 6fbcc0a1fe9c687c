package io.github.rpcrdma4j.rpcrdma.v2.wire;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A description in the XDR language, and the decoder that it defines (RFC 4506, Section 6). It has
 * the parts of the language that the file of version 2 uses.
 */
final class XdrDescription {
    private static final Pattern IGNORED = Pattern.compile("\\s+|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z_]\\w*|0x[0-9a-f]+|\\d+|[^\\s]");

    /** A type. */
    private sealed interface Type {}

    private record Word() implements Type {}

    private record Hyper() implements Type {}

    private record Bool() implements Type {}

    private record Opaque() implements Type {}

    private record Named(String name) implements Type {}

    private record Enumeration(Map<Long, String> names) implements Type {}

    private record Struct(List<Member> members) implements Type {}

    private record Union(Member discriminant, Map<Long, Optional<Member>> arms) implements Type {}

    private record ListOf(Type element) implements Type {}

    private record OptionalOf(Type element) implements Type {}

    private record Member(String name, Type type) {}

    private final List<String> tokens = new ArrayList<>();
    private final Map<String, Long> numbers = new TreeMap<>();
    private final Map<String, Type> types = new HashMap<>();
    private int at;

    /**
     * Compiles a description.
     *
     * @throws IllegalArgumentException if it is not in the language, declares a name twice, or uses
     *     one that it does not declare
     */
    XdrDescription(String text) {
        var token = TOKEN.matcher(IGNORED.matcher(text).replaceAll(Matcher.quoteReplacement(" ")));
        while (token.find()) {
            tokens.add(token.group());
        }
        while (at < tokens.size()) {
            definition();
        }
        types.values().forEach(this::requireDeclared);
    }

    /** Returns the constants and the members of enumerations by their names. */
    Map<String, Long> numbers() {
        return numbers;
    }

    /** Returns whether there is a type with that name. */
    boolean declares(String type) {
        return types.containsKey(type);
    }

    private IllegalArgumentException wrong(String why) {
        var before = tokens.subList(Math.max(0, at - 8), Math.min(at, tokens.size()));
        return new IllegalArgumentException(why + " behind " + String.join(" ", before));
    }

    private boolean take(String wanted) {
        boolean isThere = at < tokens.size() && tokens.get(at).equals(wanted);
        at += isThere ? 1 : 0;
        return isThere;
    }

    private void expect(String wanted) {
        if (!take(wanted)) {
            throw wrong("no " + wanted);
        }
    }

    private String name() {
        if (at == tokens.size() || !Character.isLetter(tokens.get(at).charAt(0))) {
            throw wrong("no name");
        }
        return tokens.get(at++);
    }

    /** Reads a number, or the name of one. */
    private long number() {
        if (at == tokens.size()) {
            throw wrong("no number");
        }
        var token = tokens.get(at++);
        if (numbers.containsKey(token)) {
            return numbers.get(token);
        }
        try {
            return Long.decode(token);
        } catch (NumberFormatException _) {
            throw wrong("no number");
        }
    }

    private void declare(String name, long number) {
        if (number > 0xffff_ffffL || numbers.put(name, number) != null) {
            throw wrong("a number that is too large, or a name that is declared twice");
        }
    }

    private void declare(String name, Type type) {
        if (types.put(name, type) != null) {
            throw wrong("a name that is declared twice");
        }
    }

    private void definition() {
        var kind = name();
        switch (kind) {
            case "const" -> {
                var name = name();
                expect("=");
                declare(name, number());
            }
            case "typedef" -> {
                var member = member();
                declare(member.name(), member.type());
            }
            case "enum" -> declare(name(), enumeration());
            case "struct" -> declare(name(), struct());
            case "union" -> declare(name(), union());
            default -> throw wrong("no definition");
        }
        expect(";");
    }

    private Enumeration enumeration() {
        var names = new LinkedHashMap<Long, String>();
        expect("{");
        do {
            var name = name();
            expect("=");
            long number = number();
            declare(name, number);
            if (names.put(number, name) != null) {
                throw wrong("two members with one number");
            }
        } while (take(","));
        expect("}");
        return new Enumeration(names);
    }

    private Struct struct() {
        var members = new ArrayList<Member>();
        expect("{");
        while (!take("}")) {
            members.add(member());
            expect(";");
        }
        return new Struct(members);
    }

    private Union union() {
        expect("switch");
        expect("(");
        var discriminant = member();
        expect(")");
        var arms = new LinkedHashMap<Long, Optional<Member>>();
        expect("{");
        while (!take("}")) {
            expect("case");
            long number = number();
            expect(":");
            var arm = take("void") ? Optional.<Member>empty() : Optional.of(member());
            expect(";");
            if (arms.put(number, arm) != null) {
                throw wrong("two arms with one number");
            }
        }
        return new Union(discriminant, arms);
    }

    private Member member() {
        var type = type();
        if (take("*")) {
            return new Member(name(), new OptionalOf(type));
        }
        var name = name();
        if (take("<")) {
            expect(">");
            return new Member(name, type instanceof Opaque ? type : new ListOf(type));
        }
        if (type instanceof Opaque) {
            throw wrong("opaque data without a length");
        }
        return new Member(name, type);
    }

    private Type type() {
        var name = name();
        return switch (name) {
            case "unsigned" -> take("hyper") ? new Hyper() : word();
            case "bool" -> new Bool();
            case "opaque" -> new Opaque();
            default -> new Named(name);
        };
    }

    private Word word() {
        expect("int");
        return new Word();
    }

    private void requireDeclared(Type type) {
        switch (type) {
            case Word _, Hyper _, Bool _, Opaque _, Enumeration _ -> {}
            case Named(var name) -> {
                if (!declares(name)) {
                    throw new IllegalArgumentException("no type " + name);
                }
            }
            case Struct(var members) -> members.forEach(each -> requireDeclared(each.type()));
            case Union(var discriminant, var arms) -> {
                requireDeclared(discriminant.type());
                arms.values().forEach(arm -> arm.ifPresent(each -> requireDeclared(each.type())));
            }
            case ListOf(var element) -> requireDeclared(element);
            case OptionalOf(var element) -> requireDeclared(element);
        }
    }

    /**
     * Decodes a value of a type: a number, the name of a member of an enumeration, a boolean,
     * bytes, a list, an optional, or a map by the names of members.
     */
    Object decode(String type, XdrReader in) throws XdrException {
        return decode(new Named(type), in);
    }

    private Object decode(Type type, XdrReader in) throws XdrException {
        return switch (type) {
            case Word _ -> Integer.toUnsignedLong(in.uint32());
            case Hyper _ -> in.uint64();
            case Bool _ -> in.bool();
            case Opaque _ -> in.opaque(in.remaining());
            case Named(var name) -> decode(types.get(name), in);
            case Enumeration(var names) -> member(names, in);
            case Struct(var members) -> struct(members, in);
            case Union(var discriminant, var arms) -> union(discriminant, arms, in);
            case ListOf(var element) -> {
                var list = new ArrayList<>();
                for (int left = in.count(Integer.BYTES, Integer.MAX_VALUE); left > 0; left--) {
                    list.add(decode(element, in));
                }
                yield list;
            }
            case OptionalOf(var element) ->
                    in.bool() ? Optional.of(decode(element, in)) : Optional.empty();
        };
    }

    private static String member(Map<Long, String> names, XdrReader in) throws XdrException {
        long number = Integer.toUnsignedLong(in.uint32());
        if (!names.containsKey(number)) {
            throw new XdrException("no member " + number);
        }
        return names.get(number);
    }

    private Map<String, Object> struct(List<Member> members, XdrReader in) throws XdrException {
        var values = new LinkedHashMap<String, Object>();
        for (var member : members) {
            values.put(member.name(), decode(member.type(), in));
        }
        return values;
    }

    private Map<String, Object> union(
            Member discriminant, Map<Long, Optional<Member>> arms, XdrReader in)
            throws XdrException {
        var selected = (String) decode(discriminant.type(), in);
        var arm = arms.get(numbers.get(selected));
        if (arm == null) {
            throw new XdrException("no arm " + selected);
        }
        var values = new LinkedHashMap<String, Object>();
        values.put(discriminant.name(), selected);
        if (arm.isPresent()) {
            values.put(arm.get().name(), decode(arm.get().type(), in));
        }
        return values;
    }

    /** Decodes bytes that hold one value and nothing else. */
    Object decodeAll(String type, MemorySegment bytes) throws XdrException {
        var in = new XdrReader(bytes);
        var value = decode(type, in);
        in.finish();
        return value;
    }
}
