package io.github.rpcrdma4j.nfs.nio;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakFilters;
import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.tests.store.BaseLockFactoryTestCase;
import org.junit.AfterClass;
import org.junit.BeforeClass;

/**
 * Goal: Lucene's own tests of its locks, which are those of files, pass on files of a server, over
 * RDMA.
 */
@ThreadLeakFilters(filters = LuceneFiles.SharedThreads.class)
public class LuceneLockFactoryTest extends BaseLockFactoryTestCase {
    private static LuceneFiles files;

    @BeforeClass
    public static void serve() throws Exception {
        files = new LuceneFiles(Transport.RDMA);
    }

    @AfterClass
    public static void stop() throws Exception {
        files.close();
        files = null;
    }

    @Override
    protected Directory getDirectory(Path path) throws IOException {
        return files.directory(path);
    }
}
