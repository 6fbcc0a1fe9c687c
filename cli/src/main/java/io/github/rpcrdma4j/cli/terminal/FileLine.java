package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Formats a file as a line, and as JSON. */
public final class FileLine {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());

    /** Within so many seconds of 1970, each zone has a date: more than 500 million years. */
    private static final long CALENDAR_SECONDS = 1L << 54;

    private static final String BITS = "rwxrwxrwx";
    private static final int SET_USER_ID = 04000;
    private static final int SET_GROUP_ID = 02000;
    private static final int STICKY = 01000;
    private static final int LINKS_WIDTH = 3;
    private static final int ID_WIDTH = 6;
    private static final int SIZE_WIDTH = 12;
    private static final int TIME_WIDTH = 16;

    private FileLine() {}

    /**
     * Appends a line in the format of {@code ls -l}, without name and line end.
     *
     * @param size the formatted size
     */
    public static void append(StringBuilder line, FileAttributes file, String size) {
        line.append(mode(file)).append(' ');
        right(line, Integer.toUnsignedString(file.links()), LINKS_WIDTH);
        right(line, Integer.toUnsignedString(file.uid()), ID_WIDTH);
        right(line, Integer.toUnsignedString(file.gid()), ID_WIDTH);
        right(line, isDevice(file) ? device(file) : size, SIZE_WIDTH);
        append(line, file.modified());
        line.append(' ');
    }

    /** Appends a line as {@link #append} does, for a file of which nothing is known. */
    public static void appendUnknown(StringBuilder line) {
        line.append("??????????").append(' ');
        for (int width : new int[] {LINKS_WIDTH, ID_WIDTH, ID_WIDTH, SIZE_WIDTH, TIME_WIDTH}) {
            right(line, "?", width);
        }
    }

    /** A server may tell any time, also one that no calendar has. */
    private static void append(StringBuilder line, Instant time) {
        if (Math.abs(time.getEpochSecond()) > CALENDAR_SECONDS) {
            line.append(time);
        } else {
            TIME.formatTo(time, line);
        }
    }

    private static void right(StringBuilder line, String text, int width) {
        line.repeat(' ', Math.max(0, width - text.length())).append(text).append(' ');
    }

    private static boolean isDevice(FileAttributes file) {
        return file.type() == FileType.BLOCK_DEVICE || file.type() == FileType.CHARACTER_DEVICE;
    }

    /** Returns the major and minor numbers of a device. */
    private static String device(FileAttributes file) {
        return Integer.toUnsignedString(file.deviceMajor())
                + ", "
                + Integer.toUnsignedString(file.deviceMinor());
    }

    /**
     * Returns a file as JSON fields: its name and its attributes, or why they are not known.
     *
     * @param name as {@link RawText}, which loses no byte
     * @param text the target if the file is a symbolic link
     */
    public static Map<String, Object> json(String name, NamedFile file, Optional<PathName> text) {
        if (file.refusal().isEmpty()) {
            return json(name, file.attributes(), text);
        }
        var json = new LinkedHashMap<String, Object>();
        json.put("name", name);
        json.put("error", file.refusal().get().description());
        return json;
    }

    /**
     * Returns the attributes of a file as JSON fields.
     *
     * @param name as {@link RawText}, which loses no byte
     * @param text the target if the file is a symbolic link
     */
    public static Map<String, Object> json(
            String name, FileAttributes file, Optional<PathName> text) {
        var json = new LinkedHashMap<String, Object>();
        json.put("name", name);
        json.put("type", file.type().name().toLowerCase(Locale.ROOT));
        json.put("mode", "%04o".formatted(file.mode()));
        json.put("links", Integer.toUnsignedLong(file.links()));
        json.put("uid", Integer.toUnsignedLong(file.uid()));
        json.put("gid", Integer.toUnsignedLong(file.gid()));
        json.put("size", unsigned(file.size()));
        json.put("fileId", Long.toUnsignedString(file.fileId()));
        json.put("accessed", file.accessed().toString());
        json.put("modified", file.modified().toString());
        json.put("changed", file.changed().toString());
        if (isDevice(file)) {
            json.put("device", device(file));
        }
        text.ifPresent(target -> json.put("target", RawText.of(target.bytes())));
        return json;
    }

    /** Returns the value of an unsigned number: sizes of NFS go up to 2^64 - 1. */
    public static BigInteger unsigned(long number) {
        return new BigInteger(Long.toUnsignedString(number));
    }

    private static String mode(FileAttributes file) {
        var text = new StringBuilder();
        text.append(
                switch (file.type()) {
                    case REGULAR -> '-';
                    case DIRECTORY -> 'd';
                    case BLOCK_DEVICE -> 'b';
                    case CHARACTER_DEVICE -> 'c';
                    case SYMBOLIC_LINK -> 'l';
                    case SOCKET -> 's';
                    case FIFO -> 'p';
                });
        for (int i = 0; i < BITS.length(); i++) {
            boolean set = (file.mode() >>> (BITS.length() - 1 - i) & 1) != 0;
            text.append(set ? BITS.charAt(i) : '-');
        }
        special(text, 3, file.mode() & SET_USER_ID, 's');
        special(text, 6, file.mode() & SET_GROUP_ID, 's');
        special(text, 9, file.mode() & STICKY, 't');
        return text.toString();
    }

    /** Shows a set-ID or sticky bit by replacing the letter of an execute bit. */
    private static void special(StringBuilder text, int at, int bit, char letter) {
        if (bit != 0) {
            text.setCharAt(at, text.charAt(at) == 'x' ? letter : Character.toUpperCase(letter));
        }
    }
}
