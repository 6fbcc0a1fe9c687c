package io.github.rpcrdma4j.compliance;

import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.HashSet;
import java.util.Set;

/**
 * What the byte code of a method refers to.
 *
 * @param exists whether the method has code
 * @param direct the methods that it calls by their class: static ones, constructors, private ones
 * @param virtual the methods that it calls at an object, and those that it hands on as functions
 * @param made the classes that it makes objects of
 * @param touched the classes that are initialized for it
 * @param words its constant strings
 * @param named the classes that it names
 */
record MethodCode(
        boolean exists,
        Set<MethodKey> direct,
        Set<MethodKey> virtual,
        Set<String> made,
        Set<String> touched,
        Set<String> words,
        Set<String> named) {
    static MethodCode of(MethodModel method) {
        var code =
                new MethodCode(
                        method.code().isPresent(),
                        new HashSet<>(),
                        new HashSet<>(),
                        new HashSet<>(),
                        new HashSet<>(),
                        new HashSet<>(),
                        new HashSet<>());
        method.code().ifPresent(elements -> elements.forEach(code::take));
        return code;
    }

    private void take(CodeElement element) {
        switch (element) {
            case InvokeInstruction call -> {
                var called =
                        new MethodKey(
                                call.owner().asInternalName(),
                                call.name().stringValue(),
                                call.type().stringValue());
                boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
                if (isStatic) {
                    touched.add(called.owner());
                }
                (isStatic || call.opcode() == Opcode.INVOKESPECIAL ? direct : virtual).add(called);
            }
            case InvokeDynamicInstruction function ->
                    function.bootstrapArgs().stream()
                            .filter(DirectMethodHandleDesc.class::isInstance)
                            .map(DirectMethodHandleDesc.class::cast)
                            .forEach(this::take);
            case NewObjectInstruction making -> {
                made.add(making.className().asInternalName());
                touched.add(making.className().asInternalName());
            }
            case FieldInstruction field -> touched.add(field.owner().asInternalName());
            case LoadConstantInstruction constant -> {
                if (constant.constantEntry() instanceof StringEntry word) {
                    words.add(word.stringValue());
                } else if (constant.constantEntry() instanceof ClassEntry name) {
                    named.add(name.asInternalName());
                }
            }
            default -> {}
        }
    }

    /** Takes the method of a lambda, or one that is named by a method reference. */
    private void take(DirectMethodHandleDesc handle) {
        var type = handle.owner().descriptorString();
        if (!type.startsWith("L")) {
            return;
        }
        var called =
                new MethodKey(
                        type.substring(1, type.length() - 1),
                        handle.methodName(),
                        handle.lookupDescriptor());
        if (handle.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR) {
            made.add(called.owner());
            direct.add(called);
        } else {
            virtual.add(called);
        }
        touched.add(called.owner());
    }
}
