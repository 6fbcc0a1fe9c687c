package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** What a file is called until it is complete. */
final class TemporaryName {
    private TemporaryName() {}

    /** A name that nobody else uses, as long as names may be. */
    static String of(String name) {
        var end = "." + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36) + ".part";
        var start = new StringBuilder(".");
        int room = Nfs3.NAME_MAX - end.length() - 1;
        for (int i = 0; i < name.length(); ) {
            int character = name.codePointAt(i);
            var text = Character.toString(character);
            room -= text.getBytes(StandardCharsets.UTF_8).length;
            if (room < 0) {
                break;
            }
            start.append(text);
            i += text.length();
        }
        return start.append(end).toString();
    }
}
