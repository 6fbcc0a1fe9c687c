package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.RawCaller.inExport;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Goal: COMPOUNDs travel as RFC 8267, Section 6, says, with every profile. Method: the test
 * operates the client, word by word, and a real server answers.
 */
public abstract class CompoundContract {
    static final byte[] LINK = Compound.ascii("../target");
    private static final byte[] KEY = new byte[32];

    /** The length of the file. */
    static final int BYTES = 70_001;

    private final byte[] content = data(BYTES, 1);
    private final RdmaProvider provider = RawCaller.provider();
    TestDirectory directory;
    private NfsServer nfs;
    private AutoCloseable serving;
    RawCaller caller;

    /** Where a program serves, until it is closed. */
    public record Serving(InetSocketAddress address, AutoCloseable program) {}

    /** Begins to serve the programs of a server. */
    protected abstract Serving serve(NfsServer nfs, ServedProfile profile, RdmaProvider provider)
            throws Exception;

    @BeforeEach
    void makeFiles() throws Exception {
        directory = RawCaller.directory();
        RawCaller.file(directory, "file", content);
        RawCaller.file(directory, "written", data(10, 2));
        Files.createSymbolicLink(
                directory.root().resolve("link"),
                directory.root().getFileSystem().getPath(new String(LINK)));
        nfs = new NfsServer(List.of(new Export(RawCaller.EXPORT, directory.root(), false)), KEY);
    }

    final RawCaller begin(ServedProfile profile) throws Exception {
        var begun = serve(nfs, profile, provider);
        serving = begun.program();
        caller = new RawCaller(profile, provider, begun.address());
        return caller;
    }

    @AfterEach
    void close() throws Exception {
        if (caller != null) {
            caller.close();
            serving.close();
        }
        nfs.close();
        directory.close();
    }

    final RawChunk sink(int... lengths) {
        return caller.end().sink(lengths);
    }

    final Words source(byte[] data, int position, int... lengths) {
        return caller.end().source(data, lengths).reads(position);
    }

    final byte[] read(int offset, int count) {
        return Arrays.copyOfRange(content, offset, offset + count);
    }

    final void requireAlive() throws Exception {
        SeenResults.requireSuccess(3, caller.call(readList(), inExport().lookUp("file")));
    }
}
