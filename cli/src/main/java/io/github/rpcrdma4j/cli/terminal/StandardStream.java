package io.github.rpcrdma4j.cli.terminal;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names of this process's open streams, such as {@code -} or {@code /dev/stdout}. A command
 * must not replace the file behind such a name, because other processes still write to it.
 */
public final class StandardStream {
    private static final String DASH = "-";
    private static final Pattern DESCRIPTOR =
            Pattern.compile("/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/([0-9]+)");

    private static final Path JAVA = Path.of(System.getProperty("java.home"));

    private StandardStream() {}

    /** Returns standard input, from its current position. The caller must not close it. */
    @SuppressWarnings("resource")
    public static FileChannel input() throws IOException {
        requireOpen(0, "standard input");
        return new FileInputStream(FileDescriptor.in).getChannel();
    }

    /**
     * Checks that a standard stream is open. If it was closed before Java started, Java has opened
     * one of its own files under its number.
     */
    private static void requireOpen(int descriptor, String name) throws IOException {
        var link = Path.of("/proc/self/fd/" + descriptor);
        if (!Files.isSymbolicLink(link)) {
            return;
        }
        var opened = Files.readSymbolicLink(link);
        if (opened.startsWith(JAVA) || opened.endsWith("coredump_filter")) {
            throw new IOException(name + " is closed");
        }
    }

    /**
     * Returns the stream that a target names. The caller must not close it: the descriptor belongs
     * to the process.
     *
     * @return empty if the target is an ordinary file name
     * @throws IOException if the target is another open descriptor of a regular file, which could
     *     only be written from its start
     */
    public static Optional<OutputStream> of(String target) throws IOException {
        if (target.equals(DASH)) {
            requireOpen(1, "standard output");
            return Optional.of(new StandardOutput(new FileOutputStream(FileDescriptor.out)));
        }
        var named = DESCRIPTOR.matcher(target);
        if (!named.matches()) {
            return Optional.empty();
        }
        if ("stdout".equals(named.group(1)) || "1".equals(named.group(2))) {
            return of(DASH);
        }
        if ("stderr".equals(named.group(1)) || "2".equals(named.group(2))) {
            requireOpen(2, "standard error");
            return Optional.of(new FileOutputStream(FileDescriptor.err));
        }
        if (Files.isRegularFile(Path.of(target))) {
            throw new IOException(
                    "cannot write " + target + ": it is an open file, give its name instead");
        }
        return Optional.empty();
    }
}
