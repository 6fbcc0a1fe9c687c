package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.BentXattrs;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.XattrDirectory;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server with a tree, and copies to and from it that keep extended attributes. */
abstract class CopiedXattrs {
    static final Map<String, String> SOME = Map.of("a", "1", "empty", "", "u/x", "\n\1");
    static final Map<String, String> OTHERS = Map.of("a", "2", "other", "3");

    @TempDir(factory = XattrDirectory.class)
    Path directory;

    Path exported;
    Path source;
    Path back;
    NfsServer nfs;
    RpcRdmaServer server;
    NfsVersion version = NfsVersion.VERSION_4_2;
    PreservedAttributes kept = PreservedAttributes.ALL;
    CopyRules rules = CopyRules.EVERYTHING;
    volatile BentXattrs.Bend bend = (_, result) -> result;
    final List<XattrArguments> calls = Collections.synchronizedList(new ArrayList<>());
    final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        source = Files.createDirectory(directory.resolve("source"));
        back = directory.resolve("back");
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(
                                nfs.programs().stream()
                                        .map(each -> BentXattrs.of(each, this::heard))
                                        .toList())
                        .start();
    }

    Result heard(XattrArguments call, Result result) {
        calls.add(call);
        return bend.of(call, result);
    }

    @AfterEach
    void everythingIsGivenBack() {
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }

    NfsMount mount() throws Exception {
        var caller = FileOwner.of(exported);
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(version.binding())
                                .connect(server.address());
        return NfsMount.of(NfsClient.connect(connector, connector, options), "/data");
    }

    Copier copier(NfsMount mount) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }

                    @Override
                    public void file(String path, long bytes) {
                        events.add("copied " + path);
                    }

                    @Override
                    public void planned(Step step, String path, long bytes) {
                        events.add(step + " " + path);
                    }
                };
        return new Copier(mount, ClientOptions.DEFAULT, listener, kept);
    }

    /** A copy, which may tell failures. */
    interface Copying {
        void run(NfsMount mount, TreeCopier trees) throws Exception;
    }

    void run(Copying copying) throws Exception {
        failures.clear();
        events.clear();
        calls.clear();
        try (var mount = mount()) {
            copying.run(mount, new TreeCopier(copier(mount), rules));
        } catch (IncompleteTreeException _) {
            assertFalse(failures.isEmpty());
        }
    }

    void put() throws Exception {
        run((mount, trees) -> trees.put(source, mount.place("/data/tree"), "tree"));
    }

    void get() throws Exception {
        run((mount, trees) -> trees.get(mount.resolve("/data/tree"), "tree", back));
    }

    void copyOnServer() throws Exception {
        run(
                (mount, trees) ->
                        trees.copy(
                                mount.resolve("/data/tree"),
                                "tree",
                                mount.place("/data/second"),
                                "second"));
    }

    void copy(String way) throws Exception {
        switch (way) {
            case "put" -> put();
            case "get" -> get();
            default -> copyOnServer();
        }
    }

    Path from(String way) {
        return way.equals("put") ? source : exported.resolve("tree");
    }

    Path to(String way) {
        return switch (way) {
            case "put" -> exported.resolve("tree");
            case "get" -> back;
            default -> exported.resolve("second");
        };
    }

    static UserDefinedFileAttributeView view(Path file) {
        return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    }

    static void set(Path file, Map<String, String> xattrs) throws IOException {
        for (var name : view(file).list()) {
            view(file).delete(name);
        }
        for (var each : xattrs.entrySet()) {
            view(file)
                    .write(
                            each.getKey(),
                            ByteBuffer.wrap(each.getValue().getBytes(StandardCharsets.UTF_8)));
        }
    }

    static Map<String, String> xattrs(Path file) throws IOException {
        var all = new TreeMap<String, String>();
        for (var name : view(file).list()) {
            var value = ByteBuffer.allocate(view(file).size(name));
            view(file).read(name, value);
            all.put(name, new String(value.array(), StandardCharsets.UTF_8));
        }
        return all;
    }

    static void mode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    /** Makes a tree with such attributes and without. */
    static void fill(Path top) throws IOException {
        Files.createDirectories(top.resolve("inner"));
        Files.writeString(top.resolve("file"), "file");
        Files.writeString(top.resolve("plain"), "plain");
        Files.writeString(top.resolve("inner/closed"), "closed");
        Files.createSymbolicLink(top.resolve("link"), Path.of("file"));
        set(top, Map.of("of", "top"));
        set(top.resolve("file"), SOME);
        set(top.resolve("inner"), SOME);
        set(top.resolve("inner/closed"), SOME);
        mode(top.resolve("inner/closed"), "r--r--r--");
        mode(top.resolve("inner"), "r-xr-xr-x");
    }

    /** The names that {@link #fill} makes, but for the link. */
    static final List<String> NAMES = List.of("", "file", "plain", "inner", "inner/closed");

    static void assertSame(Path source, Path copy) throws IOException {
        for (var name : NAMES) {
            assertEquals(xattrs(source.resolve(name)), xattrs(copy.resolve(name)), name);
            assertEquals(
                    Files.getPosixFilePermissions(source.resolve(name)),
                    Files.getPosixFilePermissions(copy.resolve(name)),
                    name);
            assertEquals(
                    Files.getLastModifiedTime(source.resolve(name)),
                    Files.getLastModifiedTime(copy.resolve(name)),
                    name);
        }
    }

    @AfterEach
    void openDirectoriesForRemoval() throws IOException {
        for (var top :
                List.of(source, exported.resolve("tree"), exported.resolve("second"), back)) {
            if (Files.isDirectory(top.resolve("inner"))) {
                mode(top.resolve("inner"), "rwx------");
            }
        }
    }
}
