package io.github.rpcrdma4j.cli;

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
 * The names by which a user means an open stream of the process. What such a name leads to must not
 * be replaced by another file: others go on writing to it.
 */
final class StandardStream {
    private static final String DASH = "-";
    private static final Pattern DESCRIPTOR =
            Pattern.compile("/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/([0-9]+)");

    private static final Path JAVA = Path.of(System.getProperty("java.home"));

    private StandardStream() {}

    /** Standard input, from where it is on. It is not to be closed either. */
    @SuppressWarnings("resource")
    static FileChannel input() throws IOException {
        requireOpen(0, "standard input");
        return new FileInputStream(FileDescriptor.in).getChannel();
    }

    /** In the place of a stream that was closed stands one of the first files that Java opened. */
    private static void requireOpen(int descriptor, String name) throws IOException {
        var place = Path.of("/proc/self/fd/" + descriptor);
        if (!Files.isSymbolicLink(place)) {
            return;
        }
        var opened = Files.readSymbolicLink(place);
        if (opened.startsWith(JAVA) || opened.endsWith("coredump_filter")) {
            throw new IOException(name + " is closed");
        }
    }

    /**
     * The stream that a target names. It is not to be closed: the descriptor belongs to the
     * process.
     *
     * @return empty if the target is a file by its own name
     * @throws IOException if it is a descriptor of a file beside standard output and error, which
     *     can be written to from its start alone
     */
    static Optional<OutputStream> of(String target) throws IOException {
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
