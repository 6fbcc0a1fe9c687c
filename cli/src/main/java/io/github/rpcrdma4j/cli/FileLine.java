package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A file as a line, and as JSON. */
final class FileLine {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());
    private static final String BITS = "rwxrwxrwx";

    private FileLine() {}

    static String of(String name, FileAttributes file) {
        return "%s %3d %6s %6s %12s %s %s"
                .formatted(
                        mode(file),
                        file.links(),
                        Integer.toUnsignedString(file.uid()),
                        Integer.toUnsignedString(file.gid()),
                        Long.toUnsignedString(file.size()),
                        TIME.format(file.modified().instant()),
                        name);
    }

    static Map<String, Object> json(String name, FileAttributes file) {
        var json = new LinkedHashMap<String, Object>();
        json.put("name", name);
        json.put("type", file.type().name().toLowerCase(Locale.ROOT));
        json.put("mode", "%04o".formatted(file.mode()));
        json.put("links", Integer.toUnsignedLong(file.links()));
        json.put("uid", Integer.toUnsignedLong(file.uid()));
        json.put("gid", Integer.toUnsignedLong(file.gid()));
        json.put("size", file.size());
        json.put("fileId", Long.toUnsignedString(file.fileId()));
        json.put("accessed", file.accessed().instant().toString());
        json.put("modified", file.modified().instant().toString());
        json.put("changed", file.changed().instant().toString());
        return json;
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
        return text.toString();
    }
}
