package io.github.rpcrdma4j.compliance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The classes of a directory of class files, and which others they refer to, from their byte code.
 * A nested class is a part of the one around it.
 *
 * @param references by the names of classes, {@code io.github.rpcrdma4j.xdr.XdrReader}
 */
record ClassGraph(Map<String, Set<String>> references) {
    private static final String DESCRIPTION = "package-info";

    /** Reads the class files below a directory; none if it does not exist. */
    static ClassGraph read(Path directory) {
        Map<String, Set<String>> references = new TreeMap<>();
        if (Files.isDirectory(directory)) {
            try (var files = Files.walk(directory)) {
                files.filter(each -> each.toString().endsWith(".class"))
                        .forEach(each -> add(each, references));
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
        return new ClassGraph(references);
    }

    private static void add(Path file, Map<String, Set<String>> references) {
        try {
            var model = ClassFile.of().parse(file);
            var own = outer(model.thisClass());
            if (model.isModuleInfo() || own.endsWith(DESCRIPTION)) {
                return;
            }
            var found = references.computeIfAbsent(own, _ -> new TreeSet<>());
            for (var entry : model.constantPool()) {
                if (entry instanceof ClassEntry other && !outer(other).equals(own)) {
                    found.add(outer(other));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String outer(ClassEntry type) {
        var name = type.asInternalName().replace('/', '.');
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Returns the package of a class. */
    static String packageOf(String type) {
        return type.substring(0, Math.max(0, type.lastIndexOf('.')));
    }

    /** Returns the classes by their packages. */
    Map<String, Set<String>> packages() {
        Map<String, Set<String>> packages = new TreeMap<>();
        for (var type : references.keySet()) {
            packages.computeIfAbsent(packageOf(type), _ -> new TreeSet<>()).add(type);
        }
        return packages;
    }

    /**
     * Returns the largest circle among some classes: each of its classes leads to each other one by
     * references within them. One class alone is no circle.
     */
    Set<String> largestCircle(Collection<String> types) {
        Map<String, Set<String>> reached = new HashMap<>();
        types.forEach(each -> reached.put(each, reachable(each, types)));
        Set<String> largest = Set.of();
        for (var each : types) {
            var circle = new TreeSet<String>();
            for (var other : reached.get(each)) {
                if (reached.get(other).contains(each)) {
                    circle.add(other);
                }
            }
            if (circle.size() > largest.size()) {
                largest = circle;
            }
        }
        return largest;
    }

    private Set<String> reachable(String from, Collection<String> among) {
        var reached = new TreeSet<String>();
        var next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            for (var other : new ArrayList<>(references.get(next.remove()))) {
                if (among.contains(other) && reached.add(other)) {
                    next.add(other);
                }
            }
        }
        return reached;
    }
}
