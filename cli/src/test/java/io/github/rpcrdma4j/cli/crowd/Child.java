package io.github.rpcrdma4j.cli.crowd;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Java process that answers each line of input with a line of output. It ends when its input
 * ends.
 */
final class Child implements AutoCloseable {
    private static final long END_SECONDS = 20;

    private final String name;
    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;

    private Child(String name, Process process) {
        this.name = name;
        this.process = process;
        this.questions = process.outputWriter();
        this.answers = process.inputReader();
    }

    /** Starts a process with the Java runtime and the class path of this process. */
    static Child start(Class<?> main, List<String> javaOptions, List<?> arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaOptions);
        command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        arguments.forEach(each -> command.add(each.toString()));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        return new Child(main.getSimpleName(), builder.start());
    }

    String ask(String question) throws IOException {
        questions.write(question);
        questions.newLine();
        questions.flush();
        var answer = answers.readLine();
        if (answer == null) {
            throw new IOException(name + " has ended, and was asked: " + question);
        }
        return answer;
    }

    /** Returns the processor time used so far. */
    Duration used() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() throws IOException {
        try {
            questions.close();
        } catch (IOException _) {
            // The process has ended.
        }
        awaitEnd(process);
    }

    /** Waits for the end of a process, and kills it after a time limit. */
    static void awaitEnd(Process process) {
        process.onExit()
                .completeOnTimeout(null, END_SECONDS, TimeUnit.SECONDS)
                .thenAccept(
                        ended -> {
                            if (ended == null) {
                                process.destroyForcibly();
                            }
                        })
                .join();
    }
}
