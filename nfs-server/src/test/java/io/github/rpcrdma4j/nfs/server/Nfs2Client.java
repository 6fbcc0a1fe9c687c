package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Calls of NFS version 2 to a server of a test, by a user. */
record Nfs2Client(TestServer server, Credential caller) {
    static Nfs2Client of(TestServer server) {
        return new Nfs2Client(server, new Credential.Sys(0, "test", 0, 0, List.of()));
    }

    <T> Nfs2Reply<T> call(Nfs2Call<T> call) throws XdrException, InterruptedException {
        var results =
                server.results(
                        Nfs2Binding.PROGRAM,
                        Nfs2Binding.VERSION,
                        call.procedure().number(),
                        caller,
                        call::encode);
        return call.replyFormat().decode(results);
    }

    <T> T ok(Nfs2Call<T> call) throws XdrException, InterruptedException {
        return switch (call(call)) {
            case Nfs2Reply.Ok<T>(var value) -> value;
            case Nfs2Reply.Failed<T>(var status) -> throw new AssertionError(call + ": " + status);
        };
    }

    Status status(Nfs2Call<?> call) throws XdrException, InterruptedException {
        return switch (call(call)) {
            case Nfs2Reply.Ok<?> _ -> Status.OK;
            case Nfs2Reply.Failed<?>(var status) -> status;
        };
    }

    Mount1.MountResult mount(String path) throws XdrException, InterruptedException {
        return Mount1.MountResult.decode(
                server.results(
                        Mount3.PROGRAM,
                        Mount1.VERSION,
                        Mount1.Procedure.MNT.number(),
                        new Credential.None(),
                        out -> out.string(path)));
    }

    FileHandle root() throws XdrException, InterruptedException {
        return root(TestServer.EXPORT);
    }

    FileHandle root(String path) throws XdrException, InterruptedException {
        return switch (mount(path)) {
            case Mount1.MountResult.Ok(var handle) -> FileHandle.of(handle);
            case Mount1.MountResult.Failed(var status) ->
                    throw new AssertionError(path + ": " + status);
        };
    }

    static Place place(FileHandle directory, String name) {
        return new Place(directory, FileName.of(name));
    }

    FileAttributes attributes(FileHandle file) throws XdrException, InterruptedException {
        return ok(new Nfs2Call.GetAttributes(file));
    }

    FileHandle lookup(FileHandle directory, String name) throws XdrException, InterruptedException {
        return ok(new Nfs2Call.Lookup(place(directory, name))).handle();
    }

    FileHandle create(FileHandle directory, String name) throws XdrException, InterruptedException {
        var mode = SetAttributes.ofMode(0644);
        return ok(new Nfs2Call.Create(place(directory, name), mode)).handle();
    }

    FileHandle makeDirectory(FileHandle directory, String name)
            throws XdrException, InterruptedException {
        var mode = SetAttributes.ofMode(0755);
        return ok(new Nfs2Call.MakeDirectory(place(directory, name), mode)).handle();
    }

    static Nfs2Call.MakeSymbolicLink link(FileHandle directory, String name, String text) {
        return new Nfs2Call.MakeSymbolicLink(
                place(directory, name), PathName.of(text), SetAttributes.NONE);
    }

    static Nfs2Call.Write write(FileHandle file, long offset, String text) {
        return new Nfs2Call.Write(file, (int) offset, MemorySegment.ofArray(text.getBytes()));
    }

    String read(FileHandle file, long offset, int count) throws XdrException, InterruptedException {
        var read = ok(new Nfs2Call.Read(file, (int) offset, count));
        return new String(read.data().toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns all entries of a directory; {@code between} runs after each page but the last. */
    List<DirectoryPage.Entry> list(FileHandle directory, int count, Between between)
            throws Exception {
        var all = new ArrayList<DirectoryPage.Entry>();
        int cookie = 0;
        while (true) {
            var page = ok(new Nfs2Call.ReadDirectory(directory, cookie, count));
            all.addAll(page.entries());
            if (page.endOfList()) {
                return all;
            }
            between.run();
            cookie = all.getLast().cookie();
        }
    }

    /** What happens between the pages of a listing. */
    interface Between {
        void run() throws Exception;
    }

    List<String> names(FileHandle directory) throws Exception {
        return list(directory, 8192, () -> {}).stream()
                .map(entry -> entry.name().toString())
                .sorted()
                .toList();
    }
}
