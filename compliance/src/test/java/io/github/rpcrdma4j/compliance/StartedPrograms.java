package io.github.rpcrdma4j.compliance;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/** Follows the calls of one test through code of tests. */
final class StartedPrograms {
    private final TestCode code;
    private final String testClass;
    private final ArrayDeque<MethodKey> waiting = new ArrayDeque<>();
    private final Set<MethodKey> seen = new HashSet<>();
    private final Set<MethodKey> virtual = new HashSet<>();
    private final Set<String> made = new HashSet<>();
    private final Set<String> words = new HashSet<>();
    private final Set<Program> started = EnumSet.noneOf(Program.class);
    private boolean usesCommand;

    /**
     * @param testClass the concrete class that runs the test
     */
    StartedPrograms(TestCode code, String testClass) {
        this.code = code;
        this.testClass = testClass;
    }

    /** Returns the programs that a test of the class starts. */
    Set<Program> of(String test) {
        made.add(testClass);
        for (var each : code.lineage(testClass)) {
            waiting.add(new MethodKey(each, "<clinit>", "()V"));
            waiting.addAll(code.aroundTestsOf(each));
        }
        for (var method : code.methodsOf(testClass)) {
            if (method.name().equals("<init>")) {
                waiting.add(method);
            }
        }
        code.lineage(testClass).stream()
                .flatMap(each -> code.methodsOf(each).stream())
                .filter(method -> method.name().equals(test))
                .findFirst()
                .ifPresent(waiting::add);
        do {
            while (!waiting.isEmpty()) {
                visit(waiting.poll());
            }
            virtual.forEach(this::dispatch);
        } while (!waiting.isEmpty());
        if (usesCommand) {
            started.addAll(Program.ofCommand(words));
        }
        return started;
    }

    private void visit(MethodKey method) {
        var found = code.code(method);
        if (found == null || !seen.add(method)) {
            return;
        }
        recognize(found.direct());
        recognize(found.virtual());
        usesCommand |= found.named().stream().anyMatch(code::isCommand);
        words.addAll(found.words());
        for (var called : found.direct()) {
            enqueue(code.resolve(called.owner(), called));
        }
        virtual.addAll(found.virtual());
        for (var each : found.touched()) {
            enqueue(new MethodKey(each, "<clinit>", "()V"));
        }
        for (var each : found.made()) {
            // Others call the methods of such objects: as tasks, as listeners.
            if (made.add(each) && code.has(each) && code.servesOthers(each)) {
                waiting.addAll(code.methodsOfObjects(each));
            }
        }
    }

    private void recognize(Collection<MethodKey> calls) {
        for (var called : calls) {
            var program = code.startedBy(called);
            if (program != null) {
                started.add(program);
            }
            usesCommand |= code.isCommand(called.owner());
        }
    }

    /** Enqueues the methods that a call may run: those of the classes that objects were made of. */
    private void dispatch(MethodKey called) {
        if (!code.has(called.owner())) {
            return;
        }
        if (!code.isA(testClass, called.owner())) {
            enqueue(code.resolve(called.owner(), called));
        }
        for (var each : made) {
            if (code.isA(each, called.owner())) {
                enqueue(code.resolve(each, called));
            }
        }
    }

    private void enqueue(MethodKey method) {
        if (method != null && !seen.contains(method)) {
            waiting.add(method);
        }
    }
}
