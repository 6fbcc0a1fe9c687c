package io.github.rpcrdma4j.nfs.nio;

import com.carrotsearch.randomizedtesting.ThreadFilter;
import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NativeFSLockFactory;
import org.apache.lucene.tests.mockfile.VirusCheckingFS;
import org.apache.lucene.tests.util.LuceneTestCase;
import org.apache.lucene.tests.util.TestUtil;

/**
 * The temporary directories of a class of Lucene's tests, served. Its tests make directories here,
 * remove some files here, and do all else as a client.
 */
final class LuceneFiles implements AutoCloseable {
    private static final Set<PosixFilePermission> ALL = EnumSet.allOf(PosixFilePermission.class);

    private final Path local;
    private final ServedDirectory served;
    private final FileSystem files;

    LuceneFiles(Transport transport) throws Exception {
        local = local(LuceneTestCase.createTempDir()).getParent();
        served = new ServedDirectory(local, transport);
        files = served.open();
    }

    /** Returns a path of this machine without the file systems around it that look for leaks. */
    private static Path local(Path path) {
        return Path.of(path.toAbsolutePath().toString());
    }

    /**
     * Returns an index directory of the server. If removals from its path fail at times, as with a
     * virus checker on Windows, they do so here.
     */
    Directory directory(Path path) throws IOException {
        var here = local(path);
        if (Files.exists(here)) {
            // The server takes root for nobody.
            Files.setPosixFilePermissions(here, ALL);
        }
        var own = files.getPath(local.relativize(here).toString());
        var used =
                TestUtil.hasVirusChecker(path)
                        ? new VirusCheckingFS(files, LuceneTestCase.random().nextLong())
                                .wrapPath(own)
                        : own;
        return new NIOFSDirectory(used, NativeFSLockFactory.INSTANCE);
    }

    @Override
    public void close() throws IOException {
        try {
            files.close();
        } finally {
            served.close();
        }
    }

    /**
     * Threads that may be there after a test: those of virtual threads, and those of the server,
     * which end when they have been idle for a while.
     */
    public static final class SharedThreads implements ThreadFilter {
        private static final List<String> SHARED =
                List.of("VirtualThread-unparker", "ForkJoinPool-1", "nfs-files-");

        @Override
        public boolean reject(Thread thread) {
            return SHARED.stream().anyMatch(thread.getName()::startsWith);
        }
    }
}
