package io.github.rpcrdma4j.nfs.shape;

import io.github.rpcrdma4j.nfs.shape.Shape.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads shapes that are written as text. The words are those of XDR (RFC 4506), without the names
 * of fields:
 *
 * <pre>
 *   word         32 bits: an integer, an enumeration      bool       32 bits, 0 or 1
 *   hyper        64 bits                                  fixed[8]   8 bytes
 *   opaque&lt;128&gt;  at most 128 bytes; also a string         word&lt;16&gt;   at most 16 words
 *   opaque&lt;&gt;     without a limit                          entry4*    a linked list
 *   opaque&lt;64?&gt;  without a limit, but bounds of replies assume 64
 *   bulk&lt;&gt;       an opaque that may lie in a chunk (DDP-eligible)
 *
 *   count=word          the argument has the name "count" in the results of its operation, where
 *   bulk&lt;count&gt;             it limits an item,
 *   entry4&lt;bytes:count&gt;    or the bytes of all elements of an array,
 *   entry4&lt;bytes:count&gt;*   or of a list,
 *   within&lt;count&gt;{ ... }   or the bytes of all items in the braces,
 *   union4@count           or equals the discriminant of a union
 * </pre>
 *
 * A type is a row with its name and its parts. A union is a row with its name, and a row for each
 * arm, which begins with a dot. A bitmap of requested items has a row for each number of bytes: the
 * bits whose items have at most that many. An operation or a procedure is a row too; its results
 * follow {@code ->}, first those of success and then those of other statuses. A status without an
 * arm has no results.
 *
 * <pre>
 *   stateid4  word fixed[12]
 *   locker4   union
 *   . TRUE=1: seqid4 stateid4 seqid4 state_owner4
 *   . FALSE=0: stateid4 seqid4
 *   requested mask
 *   . 3 4: 8
 *
 *   number, name, first minor version, arguments -&gt; results
 *   12 LOCK 0 word bool offset4 length4 locker4 -&gt; stateid4 | DENIED: LOCK4denied
 * </pre>
 *
 * <p>Tests: {@code ProgramVectorsTest}, {@code GoldenCompoundsTest}.
 */
public final class ShapeNotation {
    private static final Pattern PART =
            Pattern.compile(
                    "(?:(\\w+)=)?(\\w+)(?:\\[(\\d+)])?(<(?:bytes:)?\\w*\\??>)?(\\*)?(?:@(\\w+))?");
    private static final Pattern WITHIN = Pattern.compile("within<(\\w+)>\\{");
    private static final Pattern SPACES = Pattern.compile("\\s+");

    private static final String BYTES = "bytes:";

    private final Map<String, Shape> types =
            new HashMap<>(
                    Map.of(
                            "word", new Shape.Word(),
                            "bool", new Shape.Bool(),
                            "hyper", new Shape.Fixed(Long.BYTES)));

    /**
     * Creates a reader with named types.
     *
     * @param text a row for each type; a type may use those above it
     */
    public ShapeNotation(String text) {
        var rows = new ArrayList<>(text.lines().toList());
        while (!rows.isEmpty()) {
            var words = words(rows.removeFirst());
            var name = words.removeFirst();
            Shape shape;
            if (words.equals(List.of("union"))) {
                shape = union(name, dotted(rows));
            } else if (words.equals(List.of("mask"))) {
                shape = mask(dotted(rows));
            } else {
                shape = sequence(words);
            }
            if (types.put(name, shape) != null) {
                throw new IllegalArgumentException(name + " has two rows");
            }
        }
    }

    /** Takes the rows that begin with a dot; returns them without it. */
    private static List<String> dotted(List<String> rows) {
        var taken = new ArrayList<String>();
        while (!rows.isEmpty() && rows.getFirst().startsWith(".")) {
            taken.add(rows.removeFirst().substring(1));
        }
        return taken;
    }

    /** Returns all types by name. */
    public Map<String, Shape> types() {
        return Map.copyOf(types);
    }

    /**
     * Returns a sequence of parts.
     *
     * @param text the parts, separated by spaces
     */
    public Shape parts(String text) {
        return sequence(words(text));
    }

    /**
     * Returns results that begin with a status.
     *
     * @param name the name of the operation or procedure
     * @param text the results of success, and then those of other statuses
     * @param status maps the names of statuses to their numbers; 0 is success
     */
    public Shape.Union results(String name, String text, ToIntFunction<String> status) {
        var arms = List.of(text.split("\\|", -1));
        var byStatus = new HashMap<Integer, Shape>();
        var otherwise = Shape.NOTHING;
        byStatus.put(0, parts(arms.getFirst()));
        for (var arm : arms.subList(1, arms.size())) {
            var sides = arm.split(":", -1);
            var shape = parts(sides[1]);
            if (sides[0].strip().equals("else")) {
                otherwise = shape;
            } else {
                byStatus.put(status.applyAsInt(sides[0].strip()), shape);
            }
        }
        return new Shape.Union(name, Map.copyOf(byStatus), Optional.of(otherwise));
    }

    private static Shape mask(List<String> rows) {
        var bytes = new HashMap<Integer, Integer>();
        for (var row : rows) {
            var sides = row.split(":", -1);
            int most = Integer.parseInt(sides[1].strip());
            for (var bit : words(sides[0])) {
                if (bytes.put(Integer.valueOf(bit), most) != null) {
                    throw new IllegalArgumentException("bit " + bit + " has two sizes");
                }
            }
        }
        return new Shape.Mask(Map.copyOf(bytes));
    }

    private Shape.Union union(String name, List<String> rows) {
        var arms = new HashMap<Integer, Shape>();
        Optional<Shape> otherwise = Optional.empty();
        for (var row : rows) {
            var sides = row.split(":", -1);
            Shape shape = sequence(words(sides[1]));
            for (var discriminant : words(sides[0])) {
                if (discriminant.equals("else")) {
                    otherwise = Optional.of(shape);
                } else {
                    arms.put(Integer.parseInt(discriminant.split("=", -1)[1]), shape);
                }
            }
        }
        return new Shape.Union(name, Map.copyOf(arms), otherwise);
    }

    private static List<String> words(String text) {
        var words = new ArrayList<>(Arrays.asList(SPACES.split(text.strip())));
        words.removeIf(String::isEmpty);
        return words;
    }

    private Shape sequence(List<String> words) {
        var in = words.iterator();
        var shape = sequence(in);
        if (in.hasNext()) {
            throw new IllegalArgumentException("a brace closes nothing: " + words);
        }
        return shape;
    }

    /** Reads parts up to a closing brace or the end. */
    private Shape sequence(Iterator<String> words) {
        var parts = new ArrayList<Shape>();
        while (words.hasNext()) {
            var word = words.next();
            if (word.equals("}")) {
                break;
            }
            var within = WITHIN.matcher(word);
            parts.add(
                    within.matches()
                            ? new Shape.Within(within.group(1), sequence(words))
                            : part(word));
        }
        return parts.size() == 1 ? parts.getFirst() : new Shape.Sequence(List.copyOf(parts));
    }

    private Shape part(String word) {
        var part = PART.matcher(word);
        if (!part.matches()) {
            throw new IllegalArgumentException("not a shape: " + word);
        }
        var shape = part.group(5) == null ? unnamed(part) : chain(part);
        if (part.group(6) != null) {
            shape = new Shape.Selected((Shape.Union) shape, part.group(6));
        }
        return part.group(1) == null ? shape : new Shape.Named(part.group(1), shape);
    }

    private Shape chain(Matcher part) {
        var limit = part.group(4) == null ? new Limit.None() : limit(part.group(4));
        return new Shape.Chain(type(part.group(2)), limit);
    }

    private Shape unnamed(Matcher part) {
        var name = part.group(2);
        return switch (name) {
            case "fixed" -> new Shape.Fixed(Integer.parseInt(part.group(3)));
            case "opaque", "bulk" -> new Shape.Opaque(limit(part.group(4)), name.equals("bulk"));
            default ->
                    part.group(4) == null
                            ? type(name)
                            : new Shape.Array(type(name), limit(part.group(4)));
        };
    }

    private Shape type(String name) {
        var type = types.get(name);
        if (type == null) {
            throw new IllegalArgumentException("no type " + name);
        }
        return type;
    }

    private static Limit limit(String brackets) {
        var text = brackets.substring(1, brackets.length() - 1);
        if (text.isEmpty()) {
            return new Limit.None();
        }
        if (text.startsWith(BYTES)) {
            return new Limit.Bytes(text.substring(BYTES.length()));
        }
        if (!Character.isDigit(text.charAt(0))) {
            return new Limit.Argument(text);
        }
        return text.endsWith("?")
                ? new Limit.Assumed(Integer.parseInt(text.substring(0, text.length() - 1)))
                : new Limit.Most(Integer.parseInt(text));
    }
}
