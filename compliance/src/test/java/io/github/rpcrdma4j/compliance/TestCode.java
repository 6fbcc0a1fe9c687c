package io.github.rpcrdma4j.compliance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The compiled tests, and what supports them. It tells which programs of the product a test starts:
 * those whose start its own method calls, directly or through other code of tests. Code of the
 * product is not followed, so a test of a component does not start what the component belongs to.
 */
final class TestCode {
    /** Modules whose main code supports tests. */
    private static final List<String> SUPPORT =
            List.of("nfs-store-contract", "verbs-contract", "sim", "interop");

    private static final Pattern AROUND_TESTS =
            Pattern.compile("Lorg/junit/jupiter/api/(Before|After)(Each|All);");

    private final Map<String, ClassModel> classes = new HashMap<>();
    private final Map<MethodKey, MethodCode> methods = new HashMap<>();
    private final Map<String, List<MethodKey>> byClass = new HashMap<>();

    /** The methods that are called at an object. */
    private final Map<String, List<MethodKey>> ofObjects = new HashMap<>();

    private final Map<String, List<String>> bySimpleName = new HashMap<>();

    /** The names of the methods that run around each test of a class that declares them. */
    private final Map<String, List<MethodKey>> aroundTests = new HashMap<>();

    private final Map<CoveringTests.Method, Set<Set<Program>>> known = new HashMap<>();

    /** The methods of the product that start a program. */
    private final Map<String, Program> starts = new HashMap<>();

    private final String command;

    /**
     * @param product the package of the product, with slashes
     */
    TestCode(String product) {
        for (var program : Program.values()) {
            program.starts.forEach(start -> starts.put(product + start, program));
        }
        command = product + Program.COMMAND;
    }

    /** The compiled tests of all modules, read once. */
    private static final class Compiled {
        static final TestCode CODE = readModules();
    }

    /** Returns the compiled tests of all modules. */
    static TestCode read() {
        return Compiled.CODE;
    }

    private static TestCode readModules() {
        var code = new TestCode("io/github/rpcrdma4j/");
        try (Stream<Path> modules = Files.list(ProjectTree.ROOT)) {
            for (var module : modules.toList()) {
                code.add(module.resolve("target/test-classes"));
                if (SUPPORT.contains(module.getFileName().toString())) {
                    code.add(module.resolve("target/classes"));
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return code;
    }

    /** Adds the classes of a directory, if there is one. */
    void add(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (var file : all.filter(path -> path.toString().endsWith(".class")).toList()) {
                    add(ClassFile.of().parse(file));
                }
            }
        }
    }

    private void add(ClassModel added) {
        var name = added.thisClass().asInternalName();
        classes.put(name, added);
        bySimpleName
                .computeIfAbsent(name.substring(name.lastIndexOf('/') + 1), _ -> new ArrayList<>())
                .add(name);
        for (var method : added.methods()) {
            var key =
                    new MethodKey(
                            name,
                            method.methodName().stringValue(),
                            method.methodType().stringValue());
            methods.put(key, MethodCode.of(method));
            byClass.computeIfAbsent(name, _ -> new ArrayList<>()).add(key);
            if (!method.flags().has(AccessFlag.STATIC)) {
                ofObjects.computeIfAbsent(name, _ -> new ArrayList<>()).add(key);
            }
            if (runsAroundTests(method)) {
                aroundTests.computeIfAbsent(name, _ -> new ArrayList<>()).add(key);
            }
        }
    }

    private static boolean runsAroundTests(MethodModel method) {
        return method.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(all -> all.annotations().stream())
                .anyMatch(each -> AROUND_TESTS.matcher(each.className().stringValue()).matches());
    }

    /**
     * Returns the programs that a test starts, once for each concrete class that has the test.
     * There is none if no such class was compiled.
     */
    Set<Set<Program>> started(CoveringTests.Method test) {
        return known.computeIfAbsent(test, this::follow);
    }

    private Set<Set<Program>> follow(CoveringTests.Method test) {
        var all = new LinkedHashSet<Set<Program>>();
        for (var declaring : bySimpleName.getOrDefault(test.className(), List.of())) {
            if (declares(declaring, test.name())) {
                for (var concrete : classes.keySet()) {
                    if (isConcrete(concrete) && isA(concrete, declaring)) {
                        all.add(new StartedPrograms(this, concrete).of(test.name()));
                    }
                }
            }
        }
        return all;
    }

    private boolean declares(String className, String method) {
        return methodsOf(className).stream().anyMatch(key -> key.name().equals(method));
    }

    private boolean isConcrete(String className) {
        return (classes.get(className).flags().flagsMask() & ClassFile.ACC_ABSTRACT) == 0;
    }

    boolean has(String className) {
        return classes.containsKey(className);
    }

    /** Returns the code of a method; null if it is not of a test. */
    MethodCode code(MethodKey method) {
        return methods.get(method);
    }

    Program startedBy(MethodKey called) {
        return starts.get(called.owner() + "." + called.name());
    }

    boolean isCommand(String className) {
        return className.equals(command);
    }

    List<MethodKey> methodsOf(String className) {
        return byClass.getOrDefault(className, List.of());
    }

    /** Returns the methods that are called at an object: all but the static ones. */
    List<MethodKey> methodsOfObjects(String className) {
        return ofObjects.getOrDefault(className, List.of());
    }

    /** Returns the class and its superclasses that are code of tests, from the class upwards. */
    List<String> lineage(String className) {
        var line = new ArrayList<String>();
        for (var at = className; has(at); at = superclass(at)) {
            line.add(at);
        }
        return line;
    }

    List<MethodKey> aroundTestsOf(String className) {
        return aroundTests.getOrDefault(className, List.of());
    }

    private String superclass(String className) {
        return classes.get(className).superclass().map(ClassEntry::asInternalName).orElse("");
    }

    private List<String> interfaces(String className) {
        return classes.get(className).interfaces().stream()
                .map(ClassEntry::asInternalName)
                .toList();
    }

    /** Returns whether a class extends or implements something that is no code of tests. */
    boolean servesOthers(String className) {
        return interfaces(className).stream().anyMatch(each -> !has(each));
    }

    boolean isA(String className, String of) {
        return className.equals(of)
                || has(className)
                        && (isA(superclass(className), of)
                                || interfaces(className).stream().anyMatch(each -> isA(each, of)));
    }

    /** Returns the method that a call of a name at a class runs; null if it is no code of tests. */
    MethodKey resolve(String className, MethodKey called) {
        if (!has(className)) {
            return null;
        }
        var own = called.at(className);
        var code = methods.get(own);
        if (code != null && code.exists()) {
            return own;
        }
        var inherited = resolve(superclass(className), called);
        for (var each : interfaces(className)) {
            inherited = inherited == null ? resolve(each, called) : inherited;
        }
        return inherited;
    }
}
