package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks once what each file system makes of new files, and remembers the answer. A directory in
 * which no file can be made answers nothing: the usual is assumed for one question then, because a
 * new file for the copy will fail for the same reason, which is reported. Thread-safe.
 */
final class RememberedTraits {
    /** A group, and a file system that may give it to files. */
    private record Group(FileSystemId fileSystem, int group) {
        @Override
        public int hashCode() {
            return KeyedHash.of(fileSystem.hashCode(), group);
        }
    }

    /** By the numbers of file systems. */
    private final Map<FileSystemId, NewFileTraits> known = new ConcurrentHashMap<>();

    private final Map<Group, Boolean> groups = new ConcurrentHashMap<>();

    /**
     * Returns the questions for a file system.
     *
     * @param asked answers those that were not asked before
     */
    NewFileTraits.Asking of(FileSystemId fileSystem, NewFileTraits.Asking asked) {
        return new NewFileTraits.Asking() {
            @Override
            public NewFileTraits ask() throws InterruptedException {
                var traits = known.get(fileSystem);
                if (traits == null) {
                    try {
                        traits = asked.ask();
                    } catch (IOException _) {
                        return NewFileTraits.USUAL;
                    }
                    known.put(fileSystem, traits);
                }
                return traits;
            }

            @Override
            public boolean givesTo(int group) throws InterruptedException {
                var key = new Group(fileSystem, group);
                var given = groups.get(key);
                if (given == null) {
                    try {
                        given = asked.givesTo(group);
                    } catch (IOException _) {
                        return true;
                    }
                    groups.put(key, given);
                }
                return given;
            }
        };
    }
}
