package io.github.rpcrdma4j.nfs.server.raw;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A client that a test operates, of a program that serves a directory over RDMA. */
public final class RawCaller implements AutoCloseable {
    public static final String EXPORT = "/export";

    private final ServedProfile profile;
    private final RawEnd end;
    private int xid = 0x0d0d0c00;

    public RawCaller(ServedProfile profile, RdmaProvider provider, InetSocketAddress server)
            throws Exception {
        this.profile = profile;
        this.end = RawEnd.connect(provider, server);
    }

    /** Connects with private data of the test. */
    public RawCaller(
            ServedProfile profile,
            RdmaProvider provider,
            InetSocketAddress server,
            byte[] privateData)
            throws Exception {
        this.profile = profile;
        this.end = RawEnd.connect(provider, server, privateData);
    }

    /** Returns the provider for both ends. */
    public static RdmaProvider provider() {
        return new IwarpProvider();
    }

    /** Returns a directory in which everybody may do everything. */
    public static TestDirectory directory() throws IOException {
        var directory = TestDirectory.of(TestDirectory.kinds().getFirst());
        open(directory.root(), "rwxrwxrwx");
        return directory;
    }

    /** Makes a file that everybody may use. */
    public static Path file(TestDirectory directory, String name, byte[] data) throws IOException {
        return open(Files.write(directory.root().resolve(name), data), "rw-rw-rw-");
    }

    private static Path open(Path path, String permissions) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
        return path;
    }

    public ServedProfile profile() {
        return profile;
    }

    public RawEnd end() {
        return end;
    }

    /** Returns the XID of the last call. */
    public int xid() {
        return xid;
    }

    public int nextXid() {
        return ++xid;
    }

    /** Returns a COMPOUND of minor version 0 that begins in the exported directory. */
    public static Compound.Call inExport() {
        return Compound.call(0).putRoot().lookUp(EXPORT.substring(1));
    }

    /** Makes a call, and returns the reply. */
    public Words call(Words lists, Compound.Call call) throws InterruptedException {
        return call(lists, call.reduced(nextXid()));
    }

    /** Makes a call with the present XID, and returns the reply. */
    public Words call(Words lists, Words message) throws InterruptedException {
        end.send(profile.msg(xid).and(lists).and(message));
        return end.receive();
    }

    /** Makes a call whose message is in the lists, and returns the reply. */
    public Words callLong(Words lists) throws InterruptedException {
        end.send(profile.noMsg(xid).and(lists));
        return end.receive();
    }

    /** Requires a reply to the last call. */
    public void requireReply(Words lists, Words message, Words reply) {
        profile.requireReply(xid, lists, message, reply);
    }

    @Override
    public void close() {
        end.close();
    }
}
