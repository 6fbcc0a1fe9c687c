package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.local.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;

/**
 * The arguments and the working directory of this process as bytes. Java decodes them with the
 * character set of the locale and loses bytes that do not fit; Linux still has them in {@code
 * /proc}.
 */
public final class RawArguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

    /** A link to the working directory of this process. */
    private static final Path WORKING_DIRECTORY = Path.of("/proc/self/cwd");

    private static final int ASCII_END = 0x80;

    private RawArguments() {}

    /**
     * Returns the arguments with all of their bytes.
     *
     * @param decoded the arguments that Java gives
     * @return the arguments as {@link RawText}; those of Java if the system does not report the
     *     bytes
     */
    public static String[] of(String[] decoded) {
        try {
            return last(decoded, Files.readAllBytes(COMMAND_LINE));
        } catch (IOException _) {
            return decoded;
        }
    }

    /**
     * Returns the last arguments of a command line, as many as Java gives.
     *
     * @param commandLine all arguments of the process, each followed by a NUL
     */
    public static String[] last(String[] decoded, byte[] commandLine) {
        List<String> all = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                all.add(RawText.of(Arrays.copyOfRange(commandLine, from, i)));
                from = i + 1;
            }
        }
        int before = all.size() - decoded.length;
        if (before < 0) {
            return decoded;
        }
        for (int i = 0; i < decoded.length; i++) {
            // Another program in this JVM may call the command with arguments of its own.
            if (!ascii(decoded[i]).equals(ascii(all.get(before + i)))) {
                return decoded;
            }
        }
        return all.subList(before, all.size()).toArray(new String[0]);
    }

    /**
     * Returns the local path that an argument names. It is relative only if Java knows the working
     * directory with all of its bytes.
     *
     * @param argument as {@link RawText}
     * @throws java.nio.file.InvalidPathException if this system has no path of these bytes
     */
    public static Path path(String argument) {
        var path = LocalNames.path(RawText.bytes(argument));
        return path.isAbsolute() ? path : start().resolve(path);
    }

    /**
     * Converts an argument to the local path of what is read as one file.
     *
     * @throws IOException if it is a directory; the system's own words name none
     */
    public static Path file(String argument) throws IOException {
        var path = path(argument);
        if (Files.isDirectory(path)) {
            throw new IOException(argument + " is a directory: a file is wanted here");
        }
        return path;
    }

    /**
     * Returns the directory from which to resolve relative paths: the empty path, or the link to
     * the working directory if Java resolves from another one. Its path is not used, because
     * another user may give it to another directory meanwhile.
     */
    private static Path start() {
        var start = Path.of("");
        try {
            var actual = Files.readSymbolicLink(WORKING_DIRECTORY);
            boolean isKnown = actual.equals(start.toAbsolutePath());
            // The link of a removed directory leads to no file of that name.
            return isKnown || !Files.isSameFile(actual, WORKING_DIRECTORY)
                    ? start
                    : WORKING_DIRECTORY;
        } catch (IOException _) {
            return start;
        }
    }

    private static String ascii(String text) {
        return text.chars()
                .filter(each -> each < ASCII_END)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** Converts the argument of an option to a local path. */
    public static final class PathConverter implements ITypeConverter<Path> {
        @Override
        public Path convert(String argument) {
            return path(argument);
        }
    }
}
