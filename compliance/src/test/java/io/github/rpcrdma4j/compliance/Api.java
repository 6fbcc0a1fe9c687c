package io.github.rpcrdma4j.compliance;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Lists the public types and members of a module, in the packages that it exports to all. */
final class Api {
    private static final int OPEN = Modifier.PUBLIC | Modifier.PROTECTED;
    private static final Set<String> IMPLIED =
            Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum");

    private Api() {}

    /**
     * Returns the lines of a module: each type, and below it its members.
     *
     * @param directory the directory of the module, which is already compiled
     */
    static List<String> of(Path directory) throws IOException {
        var classes = directory.resolve("target/classes");
        var lines = new ArrayList<String>();
        for (var exported : exported(classes.resolve("module-info.class"))) {
            var types = new TreeMap<String, List<String>>();
            try (var files = Files.list(classes.resolve(exported))) {
                for (var file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                    var type = ClassFile.of().parse(file);
                    if (isOpen(type) && outermostIsOpen(file)) {
                        types.put(name(type.thisClass()), lines(type));
                    }
                }
            }
            types.values().forEach(lines::addAll);
        }
        return lines;
    }

    /** Returns the packages that a module exports to all, as paths. */
    static List<String> exported(Path descriptor) throws IOException {
        return ClassFile.of().parse(descriptor).findAttribute(Attributes.module()).stream()
                .flatMap(module -> module.exports().stream())
                .filter(export -> export.exportsTo().isEmpty())
                .map(export -> export.exportedPackage().name().stringValue())
                .sorted()
                .toList();
    }

    private static boolean outermostIsOpen(Path file) throws IOException {
        var name = file.getFileName().toString();
        int nested = name.indexOf('$');
        var outermost =
                nested < 0 ? file : file.resolveSibling(name.substring(0, nested) + ".class");
        return ClassFile.of().parse(outermost).flags().has(AccessFlag.PUBLIC);
    }

    /** Returns whether users can name a type and each type around it. */
    private static boolean isOpen(ClassModel type) {
        var nested =
                type.findAttribute(Attributes.innerClasses()).stream()
                        .flatMap(all -> all.classes().stream())
                        .collect(
                                Collectors.toMap(
                                        info -> info.innerClass().asInternalName(), info -> info));
        if (!nested.containsKey(type.thisClass().asInternalName())) {
            return type.flags().has(AccessFlag.PUBLIC);
        }
        InnerClassInfo at = nested.get(type.thisClass().asInternalName());
        while (at != null) {
            if (at.outerClass().isEmpty() || (at.flagsMask() & OPEN) == 0) {
                return false;
            }
            at = nested.get(at.outerClass().get().asInternalName());
        }
        return true;
    }

    private static List<String> lines(ClassModel type) {
        var lines = new ArrayList<String>();
        var parents = new ArrayList<String>();
        type.superclass()
                .map(Api::name)
                .filter(name -> !IMPLIED.contains(name))
                .ifPresent(parents::add);
        type.interfaces().stream().map(Api::name).sorted().forEach(parents::add);
        lines.add(
                kind(type)
                        + " "
                        + name(type.thisClass())
                        + (parents.isEmpty() ? "" : " : " + String.join(", ", parents)));
        var members = new ArrayList<String>();
        for (var field : type.fields()) {
            if ((field.flags().flagsMask() & OPEN) != 0) {
                members.add("    " + line(field));
            }
        }
        for (var method : type.methods()) {
            boolean isOpen = (method.flags().flagsMask() & OPEN) != 0;
            if (isOpen && !method.flags().has(AccessFlag.SYNTHETIC)) {
                members.add("    " + line(method));
            }
        }
        members.stream().sorted().forEach(lines::add);
        return lines;
    }

    private static String kind(ClassModel type) {
        if (type.flags().has(AccessFlag.INTERFACE)) {
            return "interface";
        }
        if (type.flags().has(AccessFlag.ENUM)) {
            return "enum";
        }
        boolean isRecord = type.findAttribute(Attributes.record()).isPresent();
        return isRecord ? "record" : "class";
    }

    private static String line(FieldModel field) {
        return words(field.flags().flagsMask())
                + name(field.fieldTypeSymbol())
                + " "
                + field.fieldName().stringValue();
    }

    private static String line(MethodModel method) {
        var type = method.methodTypeSymbol();
        return words(method.flags().flagsMask())
                + name(type.returnType())
                + " "
                + method.methodName().stringValue()
                + type.parameterList().stream()
                        .map(Api::name)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static String words(int flags) {
        return ((flags & Modifier.PROTECTED) != 0 ? "protected " : "")
                + ((flags & Modifier.STATIC) != 0 ? "static " : "")
                + ((flags & Modifier.ABSTRACT) != 0 ? "abstract " : "");
    }

    private static String name(ClassEntry entry) {
        return name(entry.asSymbol());
    }

    private static String name(ClassDesc type) {
        if (type.isArray()) {
            return name(type.componentType()) + "[]";
        }
        var home = type.packageName();
        return (home.isEmpty() ? "" : home + ".") + type.displayName().replace('$', '.');
    }
}
