package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The arguments of this process as the bytes that they are. Java decodes them in the character set
 * of the locale, and what does not fit is lost; Linux still has them.
 */
final class RawArguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

    private static final int ASCII_END = 0x80;

    private RawArguments() {}

    /**
     * @param decoded as Java gives them
     * @return the same arguments as {@link RawText}; those that Java gives where the system does
     *     not tell
     */
    static String[] of(String[] decoded) {
        try {
            return last(decoded, Files.readAllBytes(COMMAND_LINE));
        } catch (IOException _) {
            return decoded;
        }
    }

    /**
     * @param commandLine all arguments of the process, with a NUL behind each
     */
    static String[] last(String[] decoded, byte[] commandLine) {
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
            // A program may call the command with other arguments than the process has.
            if (!ascii(decoded[i]).equals(ascii(all.get(before + i)))) {
                return decoded;
            }
        }
        return all.subList(before, all.size()).toArray(new String[0]);
    }

    private static String ascii(String text) {
        return text.chars()
                .filter(each -> each < ASCII_END)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
