package io.github.rpcrdma4j.nfs.client.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the calls of an NFS client offer memory for their longest replies, and are not repeated if
 * the server says that it is too little. Method: the test operates the server by hand, over iWARP,
 * and refuses each call.
 */
@Timeout(120)
class RefusedCallsTest {
    private static final int INLINE = 1024;
    private static final int CREDITS = 8;
    private static final int ERROR = 4;
    private static final int ERR_CHUNK = 2;

    /** Where the Write list begins in a message without Read chunks, in words. */
    private static final int WRITE_LIST = 5;

    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final DirOpArgs PLACE = new DirOpArgs(FILE, FileName.of("name"));
    private static final PathName PATH = PathName.of("path");

    private final RdmaProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Listener listener;
    private RawEnd server;
    private Nfs3Client client;

    private void connect(NfsVersion version) throws Exception {
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var options =
                ClientOptions.DEFAULT.withVersion(version).withTimeout(Duration.ofSeconds(10));
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(provider)
                                .binding(version.binding())
                                .inlineThresholds(INLINE, INLINE)
                                .connect(listener.address());
        var connecting =
                threads.submit(() -> new Nfs3Client(connector, connector, options, version));
        server = RawEnd.accept(provider, listener);
        client = connecting.get();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        listener.close();
        threads.close();
    }

    /** Makes a call of NFSACL, refuses it likewise, and returns what the server received. */
    private Words refused(Acl3Call<?> call, int entries) throws Exception {
        return refused(() -> client.call(call, entries, "by the test"));
    }

    /** Makes a call, answers it with ERR_CHUNK, and returns what the server received. */
    private <A, T> Words refused(Nfs3Call<A, T> call) throws Exception {
        var targets =
                switch (call) {
                    case Nfs3Call.Read(_, _, var count) -> List.of(memory(count));
                    case Nfs3Call.ReadLink _ -> List.of(memory(INLINE));
                    default -> List.<MemorySegment>of();
                };
        return refused(() -> client.call(call, targets, (_, _) -> null));
    }

    private Words refused(Executable call) throws Exception {
        var calling = threads.submit(() -> assertThrows(RpcException.TransportRefused.class, call));
        var heard = server.receive();
        server.send(Words.of(heard.at(0), 1, CREDITS, ERROR, ERR_CHUNK));
        calling.get();
        return heard;
    }

    private static MemorySegment memory(int length) {
        return Arena.ofAuto().allocate(length);
    }

    private void requireInline(Nfs3Call<?, ?> call) throws Exception {
        var heard = SeenHeader.of(refused(call));
        assertEquals(List.of(), heard.writes(), call::toString);
        assertEquals(0, heard.reply().length(), call::toString);
    }

    /** Requires a Write chunk of one segment with the length of the data, and no Reply chunk. */
    private void requireWriteChunk(int length, Nfs3Call<?, ?> call) throws Exception {
        var words = refused(call);
        var heard = SeenHeader.of(words);
        assertEquals(List.of(1), heard.writes(), call::toString);
        assertEquals(length, words.at(WRITE_LIST + 3), call::toString);
        assertEquals(0, heard.reply().length(), call::toString);
    }

    /** Requires a Reply chunk of one segment that the longest reply fits into. */
    private void requireReplyChunk(int longest, Nfs3Call<?, ?> call) throws Exception {
        var heard = SeenHeader.of(refused(call));
        assertEquals(List.of(), heard.writes(), call::toString);
        assertEquals(1, heard.reply().at(0), call::toString);
        assertTrue(heard.reply().at(2) >= longest, () -> call + ": " + heard.reply().at(2));
    }

    /** The reply header of a success has 24 bytes, and the transport header at least 28. */
    @Test
    @Tag("8267-3-1")
    @Tag("8267-3-2")
    @Tag("8166-6-1")
    void callsOfferMemoryForRepliesThatAreTooLongForTheThreshold() throws Exception {
        connect(NfsVersion.VERSION_3);
        requireInline(new Nfs3Call.GetAttributes(FILE));
        requireInline(new Nfs3Call.Lookup(PLACE));
        requireInline(new Nfs3Call.Read(FILE, 0, 500));
        requireWriteChunk(1000, new Nfs3Call.Read(FILE, 0, 1000));
        requireWriteChunk(70_000, new Nfs3Call.Read(FILE, 0, 70_000));
        requireWriteChunk(INLINE, new Nfs3Call.ReadLink(FILE));
        requireInline(new Nfs3Call.ReadDirectory(FILE, 0, 0, 500));
        requireReplyChunk(24 + 1000, new Nfs3Call.ReadDirectory(FILE, 0, 0, 1000));
        requireReplyChunk(24 + 9000, new Nfs3Call.ReadDirectoryPlus(FILE, 0, 0, 500, 9000));
    }

    /** The reply with lists is as long as the client permits; the other has attributes at most. */
    @Test
    @Tag("8267-5.2-4")
    void callsOfNfsAclOfferMemoryForListsAlone() throws Exception {
        connect(NfsVersion.VERSION_3);
        var none = new AclLists.Listed(0, List.of());
        var set = new Acl3Call.SetAcl(FILE, new AclLists(0, none, none));
        var get = new Acl3Call.GetAcl(FILE, 0xf);
        assertEquals(0, SeenHeader.of(refused(set, 1000)).reply().length());
        assertEquals(0, SeenHeader.of(refused(get, 10)).reply().length());
        assertTrue(SeenHeader.of(refused(get, 1000)).reply().at(2) >= 2 * 12 * 1000);
    }

    @ParameterizedTest
    @EnumSource(names = {"VERSION_2", "VERSION_3"})
    @Tag("8267-4.1-1")
    void noCallIsRepeatedWithALongerReplyChunk(NfsVersion version) throws Exception {
        connect(version);
        var data = MemorySegment.ofArray(new byte[4]);
        var calls =
                new ArrayList<>(
                        List.<Nfs3Call<?, ?>>of(
                                new Nfs3Call.GetAttributes(FILE),
                                new Nfs3Call.ChangeAttributes(
                                        FILE, SetAttributes.ofMode(0600), Optional.empty()),
                                new Nfs3Call.Lookup(PLACE),
                                new Nfs3Call.ReadLink(FILE),
                                new Nfs3Call.Read(FILE, 0, 5000),
                                new Nfs3Call.Write(FILE, 0, Stability.FILE_SYNC, data),
                                new Nfs3Call.Create(
                                        PLACE,
                                        new CreateMode.Unchecked(SetAttributes.ofMode(0600))),
                                new Nfs3Call.MakeDirectory(PLACE, SetAttributes.NONE),
                                new Nfs3Call.MakeSymbolicLink(PLACE, SetAttributes.NONE, PATH),
                                new Nfs3Call.Remove(PLACE),
                                new Nfs3Call.RemoveDirectory(PLACE),
                                new Nfs3Call.Rename(PLACE, PLACE),
                                new Nfs3Call.Link(FILE, PLACE),
                                new Nfs3Call.ReadDirectory(FILE, 0, 0, 4000),
                                new Nfs3Call.FsStat(FILE)));
        if (version == NfsVersion.VERSION_3) {
            calls.add(new Nfs3Call.ReadDirectoryPlus(FILE, 0, 0, 4000, 4000));
            calls.add(new Nfs3Call.Access(FILE, 1));
            calls.add(new Nfs3Call.PathConf(FILE));
            calls.add(new Nfs3Call.FsInfo(FILE));
            calls.add(new Nfs3Call.Commit(FILE, 0, 0));
        }
        for (var call : calls) {
            refused(call);
            assertEquals(0, server.arrived(), call::toString);
        }
    }
}
