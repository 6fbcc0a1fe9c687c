package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import java.util.Map;

/**
 * Colours names by the type of their file, as {@code ls} does.
 *
 * @param isOn whether names get colours
 */
public record Colors(boolean isOn) {
    private static final int EXECUTE = 0111;
    private static final String END = "\033[0m";

    /**
     * Chooses colours for a terminal, unless the user wants none (no-color.org).
     *
     * @param isTerminal whether names go to a terminal
     */
    public static Colors of(boolean isTerminal, Map<String, String> environment) {
        boolean isRefused = !environment.getOrDefault("NO_COLOR", "").isEmpty();
        boolean isPlain = environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Colors(isTerminal && !isRefused && !isPlain);
    }

    /** Returns whether names have colours. */
    public boolean areOn() {
        return isOn;
    }

    /**
     * Returns a name in the colour of its file.
     *
     * @param shown the name, safe for a terminal
     */
    public String of(FileAttributes file, String shown) {
        var color = isOn ? color(file) : "";
        return color.isEmpty() ? shown : "\033[" + color + "m" + shown + END;
    }

    private static String color(FileAttributes file) {
        return switch (file.type()) {
            case DIRECTORY -> "1;34";
            case SYMBOLIC_LINK -> "1;36";
            case FIFO -> "33";
            case SOCKET -> "1;35";
            case BLOCK_DEVICE, CHARACTER_DEVICE -> "1;33";
            case REGULAR -> (file.mode() & EXECUTE) == 0 ? "" : "1;32";
        };
    }
}
