package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.Exported;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounted;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Values;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A server of one folder that cannot be changed, {@code /data}. In it are {@code plain}, an empty
 * file; {@code loéin} and {@code più} in Latin-1; and a link whose text is Latin-1 too. Beside it
 * an export has such a name.
 */
final class LatinServer {
    private static final List<Entry> ENTRIES =
            List.of(
                    new Entry(latin("."), FileType.DIRECTORY),
                    new Entry(latin(".."), FileType.DIRECTORY),
                    new Entry(latin("plain"), FileType.REGULAR),
                    new Entry(latin("lo\u00e9in"), FileType.REGULAR),
                    new Entry(latin("link"), FileType.SYMBOLIC_LINK),
                    new Entry(latin("pi\u00f9"), FileType.DIRECTORY));
    private static final int ROOT = 0;

    private record Entry(byte[] name, FileType type) {}

    private LatinServer() {}

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static FileHandle handle(int index) {
        return new FileHandle(new byte[] {(byte) index});
    }

    private static FileAttributes attributes(FileHandle file) {
        int index = file.octets()[0];
        var time = new Timestamp(0, 0);
        var type = ENTRIES.get(index).type();
        return new FileAttributes(type, 0755, 1, 0, 0, 0, 0, 0, 1, index, time, time, time);
    }

    /** NFS and MOUNT. */
    static List<RpcProgram> programs() {
        return List.of(new Program(Nfs3.PROGRAM), new Program(Mount3.PROGRAM));
    }

    private record Program(int program) implements RpcProgram {
        @Override
        public int lowestVersion() {
            return Nfs3.VERSION;
        }

        @Override
        public int highestVersion() {
            return Nfs3.VERSION;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            var in = request.arguments();
            if (program == Nfs3.PROGRAM) {
                answer(Nfs3CallDecoder.decode(Procedure.of(request.procedure()), in), results);
            } else if (request.procedure() == Mount3.Procedure.EXPORT.number()) {
                var odd = new Exported(new PathName(latin("/\u00e9")), List.of());
                Exported.encode(
                        results, List.of(odd, new Exported(PathName.of("/data"), List.of())));
            } else {
                new Mounted.Ok(handle(ROOT).octets(), List.of(1)).encode(results);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @SuppressWarnings("unchecked")
    private static <A, T> void answer(Nfs3Call<A, T> call, XdrWriter results) {
        call.replyForm().encode(results, (Nfs3Reply<A, T>) reply(call));
    }

    private static Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call) {
        Optional<FileAttributes> none = Optional.empty();
        return switch (call) {
            case Nfs3Call.GetAttributes(var file) ->
                    new Nfs3Reply.Ok<>(Nothing.NOTHING, attributes(file));
            case Nfs3Call.InfoOf _ ->
                    new Nfs3Reply.Ok<>(
                            none,
                            new Values.FileSystemInfo(
                                    4096, 4096, 1, 4096, 4096, 1, 4096, 1, new Timestamp(0, 1), 0));
            case Nfs3Call.ReadDirectoryPlus _ -> new Nfs3Reply.Ok<>(none, page());
            case Nfs3Call.ReadLink _ ->
                    new Nfs3Reply.Ok<>(
                            none,
                            new Values.LinkText(
                                    MemorySegment.ofArray(latin("../caf\u00e9")), () -> {}));
            case Nfs3Call.Lookup(var place) -> lookup(place.name());
            case Nfs3Call.Remove _, Nfs3Call.RemoveDirectory _ ->
                    new Nfs3Reply.Failed<>(Status.ACCES, WccData.UNKNOWN);
            default -> throw new AssertionError("no command needs " + call);
        };
    }

    private static Nfs3Reply<?, ?> lookup(FileName name) {
        for (int i = 0; i < ENTRIES.size(); i++) {
            if (new FileName(ENTRIES.get(i).name()).equals(name)) {
                var found = new Values.Found(handle(i), Optional.of(attributes(handle(i))));
                return new Nfs3Reply.Ok<>(Optional.empty(), found);
            }
        }
        return new Nfs3Reply.Failed<>(Status.NOENT, Optional.empty());
    }

    private static DirectoryPage page() {
        var entries = new DirectoryPage.Entry[ENTRIES.size()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] =
                    new DirectoryPage.Entry(
                            i,
                            new FileName(ENTRIES.get(i).name()),
                            i + 1,
                            Optional.of(attributes(handle(i))),
                            Optional.of(handle(i)));
        }
        return new DirectoryPage(0, List.of(entries), true);
    }
}
