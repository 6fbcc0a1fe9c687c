package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;
import org.opentest4j.TestAbortedException;

/**
 * Makes directories in which files keep long extended attributes of users. Some disks keep short
 * ones alone, where the memory of the same host keeps all. Without one, the test is skipped.
 */
public final class XattrDirectory implements TempDirFactory {
    private static final int LONGEST = 64 << 10;

    @Override
    public Path createTempDirectory(AnnotatedElementContext field, ExtensionContext test)
            throws IOException {
        for (var place : List.of(Path.of(System.getProperty("java.io.tmpdir")), memory())) {
            if (Files.isWritable(place)) {
                var made = Files.createTempDirectory(place, "xattrs");
                if (keeps(made)) {
                    return made;
                }
                Files.delete(made);
            }
        }
        throw new TestAbortedException("no file system here keeps long extended attributes");
    }

    private static Path memory() {
        return Path.of("/dev/shm");
    }

    private static boolean keeps(Path directory) {
        var view = Files.getFileAttributeView(directory, UserDefinedFileAttributeView.class);
        if (view == null) {
            return false;
        }
        try {
            view.write("test", ByteBuffer.allocate(LONGEST));
            view.delete("test");
            return true;
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
