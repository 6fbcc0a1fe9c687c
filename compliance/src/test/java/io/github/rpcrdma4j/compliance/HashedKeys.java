package io.github.rpcrdma4j.compliance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The types of the keys of all maps and sets in sources.
 *
 * @param all the types
 * @param known those whose hash codes everybody can compute and make equal, with the first file
 *     that uses each
 */
record HashedKeys(Set<String> all, Map<String, String> known) {
    /**
     * Types of the JDK that are safe. Their hash codes are random, or a hash map keeps them in
     * order, as it does with {@link Comparable} keys of one class.
     */
    private static final Set<String> SAFE =
            Set.of(
                    "String",
                    "Integer",
                    "Long",
                    "Class",
                    "Runnable",
                    "Thread",
                    "Double",
                    "OpenOption",
                    "FileSystem",
                    "MemorySegment",
                    "MemorySegment.Scope",
                    "Throwable",
                    "PosixFilePermission",
                    "StandardOpenOption");

    /** Components of records that alone choose a hash code, but not two with the same one. */
    private static final Set<String> NUMBERS = Set.of("int", "short", "byte", "char");

    private static final Pattern HASHED_ONCE = Pattern.compile("hash =\\s+KeyedHash\\.of\\(");
    private static final Pattern PARAMETER = Pattern.compile("[A-Z]");
    private static final Pattern USE =
            Pattern.compile("\\b(\\w*(?:Map|Set)|[A-Z]\\w*)<((?:[A-Z]\\w*\\.)*[A-Z]\\w*)([<,> ?])");
    private static final Pattern TYPE =
            Pattern.compile(
                    "\\b(class|record|enum|interface)\\s+(\\w+)(?:<[^>{(]*>)?\\s*(\\(|[^{;]*\\{)");

    /** A type that a source declares. */
    private record Declared(Path file, String outer, String kind, String name, String text) {
        String fullName() {
            return outer.isEmpty() ? name : outer + "." + name;
        }
    }

    static HashedKeys of(List<Path> sources) {
        var reader = new Reader(sources);
        reader.read();
        return new HashedKeys(reader.all, reader.known);
    }

    private static final class Reader {
        final Set<String> all = new TreeSet<>();
        final Map<String, String> known = new TreeMap<>();
        private final List<Declared> declared = new ArrayList<>();
        private final Map<Path, String> texts = new TreeMap<>();

        /** Our own generic types that keep their first type parameter in a map. */
        private final Set<String> collections = new HashSet<>();

        Reader(List<Path> sources) {
            for (var file : sources) {
                texts.put(file, withoutComments(Project.text(file)));
            }
        }

        private static String withoutComments(String text) {
            return text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//[^\n]*", "");
        }

        void read() {
            texts.forEach(this::declare);
            texts.forEach(
                    (file, text) -> {
                        if (text.matches("(?s).*\\b\\w*(?:Map|Set)<[A-Z][,>].*")) {
                            collections.add(Project.className(file));
                        }
                    });
            texts.forEach(this::findKeys);
        }

        private void declare(Path file, String text) {
            var matcher = TYPE.matcher(text);
            var main = Project.className(file);
            while (matcher.find()) {
                var name = matcher.group(2);
                var outer = name.equals(main) ? "" : main;
                declared.add(
                        new Declared(
                                file, outer, matcher.group(1), name, body(text, matcher.start())));
            }
        }

        /** Returns the text of a declaration, to the brace that closes it. */
        private static String body(String text, int start) {
            int depth = 0;
            for (int i = text.indexOf('{', start); i >= 0 && i < text.length(); i++) {
                depth += text.charAt(i) == '{' ? 1 : text.charAt(i) == '}' ? -1 : 0;
                if (depth == 0) {
                    return text.substring(start, i + 1);
                }
            }
            return text.substring(start);
        }

        private void findKeys(Path file, String text) {
            var matcher = USE.matcher(text);
            while (matcher.find()) {
                var collection = matcher.group(1);
                var key = matcher.group(2);
                boolean isMap = collection.endsWith("Map") || collection.endsWith("Set");
                if (!(isMap || collections.contains(collection))
                        || collection.equals("TreeMap")
                        || collection.equals("TreeSet")
                        || PARAMETER.matcher(key).matches()
                        || SAFE.contains(key)) {
                    continue;
                }
                check(file, key.equals("List") ? "List<String>" : key);
            }
        }

        private void check(Path file, String key) {
            all.add(key);
            var type = find(file, key);
            boolean isSafe = type.isPresent() && isSafe(type.get(), new HashSet<>());
            if (!isSafe) {
                var name = type.map(Declared::fullName).orElse(key);
                known.putIfAbsent(name, ProjectTree.name(file));
            }
        }

        /** Finds the type that a name means in a file: its own first, then imported ones. */
        private Optional<Declared> find(Path file, String key) {
            var simple = key.substring(key.lastIndexOf('.') + 1);
            var named = declared.stream().filter(each -> each.name.equals(simple)).toList();
            var own = named.stream().filter(each -> each.file.equals(file)).findFirst();
            if (own.isPresent()) {
                return own;
            }
            var imported =
                    named.stream()
                            .filter(each -> imports(file, each) || isOuter(key, each))
                            .findFirst();
            return imported.isPresent()
                    ? imported
                    : named.stream()
                            .filter(each -> each.outer.isEmpty() || key.contains("."))
                            .filter(each -> each.file.getParent().equals(file.getParent()))
                            .findFirst();
        }

        private static boolean isOuter(String key, Declared type) {
            return !type.outer.isEmpty() && key.endsWith(type.fullName());
        }

        private boolean imports(Path file, Declared type) {
            var directory = type.file.getParent().toString().replaceFirst(".*/src/main/java/", "");
            return texts.get(file)
                    .contains(
                            "import " + directory.replace('/', '.') + "." + type.fullName() + ";");
        }

        /** Returns whether nobody outside knows two keys of one hash code. */
        private boolean isSafe(Declared type, Set<Declared> seen) {
            if (!seen.add(type)) {
                return true;
            }
            var head = headOf(type);
            if (head.contains("Comparable<" + type.name + ">")) {
                return true;
            }
            if (type.text.contains("int hashCode()")) {
                return hash(type).contains("KeyedHash.of(")
                        || HASHED_ONCE.matcher(type.text).find();
            }
            return switch (type.kind) {
                case "enum" -> true;
                case "record" -> isSafeRecord(type, seen);
                case "interface" ->
                        implementers(type).stream().allMatch(each -> isSafe(each, seen));
                case "class" -> isSafeClass(type, head, seen);
                default -> throw new AssertionError(type.kind);
            };
        }

        private static String hash(Declared type) {
            return body(type.text, type.text.indexOf("int hashCode()"));
        }

        /** A class without a hash code of its own has a random one, or that of its superclass. */
        private boolean isSafeClass(Declared type, String head, Set<Declared> seen) {
            var superclass = Pattern.compile("\\bextends (\\w+)").matcher(head);
            return !superclass.find()
                    || find(type.file, superclass.group(1))
                            .map(each -> isSafe(each, seen))
                            .orElse(true);
        }

        private List<Declared> implementers(Declared type) {
            var name = Pattern.compile("(implements|extends)\\b[^{]*\\b" + type.name + "\\b");
            return declared.stream()
                    .filter(each -> name.matcher(headOf(each)).find())
                    .filter(each -> find(each.file, type.name).equals(Optional.of(type)))
                    .toList();
        }

        private static String headOf(Declared type) {
            int end = type.text.indexOf('{');
            return end < 0 ? type.text : type.text.substring(0, end);
        }

        /** The hash code of a record is the sum of those of its components, with known factors. */
        private boolean isSafeRecord(Declared type, Set<Declared> seen) {
            var text = type.text;
            var components = text.substring(text.indexOf('(') + 1, text.indexOf(')'));
            int numbers = 0;
            for (var component : components.split(",(?![^<]*>)")) {
                if (component.isBlank()) {
                    continue;
                }
                var words = component.strip().split("\\s+");
                var name = words[words.length - 2].replaceFirst("<.*", "");
                if (NUMBERS.contains(name)) {
                    numbers++;
                } else if (!name.equals("boolean") && !PARAMETER.matcher(name).matches()) {
                    var found = find(type.file, name);
                    if (found.isEmpty() || !isSafe(found.get(), seen)) {
                        return false;
                    }
                }
            }
            return numbers <= 1;
        }
    }
}
