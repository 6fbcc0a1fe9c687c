package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the bounds of replies come from the shapes. Method: a table of sizes that were added up by
 * hand from the RFCs, in bytes.
 */
class ResultsBoundTest {
    private static final int STATUS_ONLY = 8;

    /**
     * The most bytes of results, from the number of the operation on and without bulk data.
     *
     * @param named the named arguments, as {@code name=value}
     */
    private record Row(String operation, String named, long most) {
        static Row of(String line) {
            var words = line.strip().split("\\s+");
            return new Row(words[0], words.length > 2 ? words[1] : "", last(words));
        }

        private static long last(String[] words) {
            return Long.parseLong(words[words.length - 1]);
        }

        NamedArguments arguments() {
            var sides = named.split("=");
            return named.isEmpty()
                    ? NamedArguments.NONE
                    : NamedArguments.of(sides[0], Integer.parseUnsignedInt(sides[1]));
        }
    }

    static Stream<Row> rows() {
        return """
                ACCESS                            16
                CLOSE                             24
                OPEN_DOWNGRADE                    24
                OPEN_CONFIRM                      24
                COMMIT                            16
                CREATE                            44
                GETFH                            140
                LINK                              28
                REMOVE                            28
                RENAME                            48
                LOCK                            1064
                LOCKT                           1064
                LOCKU                             24
                OPEN                             372
                PUTFH                              8
                PUTPUBFH                           8
                PUTROOTFH                          8
                LOOKUP                             8
                LOOKUPP                            8
                SAVEFH                             8
                RESTOREFH                          8
                VERIFY                             8
                NVERIFY                            8
                READ            count=1048576     16
                READDIR         maxcount=32768 32776
                READDIR         maxcount=0        24
                READLINK                          12
                SETATTR                           24
                SETCLIENTID                      144
                WRITE                             24
                SEQUENCE                          44
                EXCHANGE_ID     how=0           4164
                EXCHANGE_ID     how=1           4196
                CREATE_SESSION                    96
                BIND_CONN_TO_SESSION              32
                DESTROY_SESSION                    8
                DESTROY_CLIENTID                   8
                FREE_STATEID                       8
                RECLAIM_COMPLETE                   8
                TEST_STATEID    stateids=9        48
                GETDEVICEINFO   maxcount=4096   4104
                GETDEVICEINFO   maxcount=0        32
                GETDEVICELIST   maxdevices=4      96
                LAYOUTGET       maxcount=4096   4128
                LAYOUTCOMMIT                      20
                LAYOUTRETURN                      28
                GET_DIR_DELEGATION                84
                WANT_DELEGATION                  316
                ALLOCATE                           8
                DEALLOCATE                         8
                CLONE                              8
                LAYOUTERROR                        8
                LAYOUTSTATS                        8
                OFFLOAD_CANCEL                     8
                SEEK                              20
                IO_ADVISE                         20
                COPY                              56
                WRITE_SAME                        48
                OFFLOAD_STATUS                    24
                SETXATTR                          28
                REMOVEXATTR                       28
                LISTXATTRS      maxcount=65536 65544
                CB_SEQUENCE                       40
                CB_RECALL                          8
                """
                .lines()
                .map(Row::of);
    }

    private static Operation operation(String name) {
        var kind = name.startsWith("CB_") ? CompoundKind.CB_COMPOUND : CompoundKind.COMPOUND;
        return Operation.all(kind).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theShapesAddUpToTheSizesOfTheRfcs(Row row) {
        var operation = operation(row.operation());
        assertEquals(OptionalLong.of(row.most()), operation.resultsMax(row.arguments(), false));
    }

    /** Goal: the name in an ACE is the only assumption in the size of an OPEN. */
    @Test
    void anOpenIsAsLongAsItsPartsAndTheNameInAnAce() {
        assertEquals(
                116 + 256, operation("OPEN").resultsMax(NamedArguments.NONE, true).orElseThrow());
    }

    @Test
    void attributesListsAndBodiesAreUnbounded() {
        for (var name :
                Stream.of(
                                "GETATTR",
                                "SECINFO",
                                "SECINFO_NO_NAME",
                                "COPY_NOTIFY",
                                "READ_PLUS",
                                "GETXATTR",
                                "SET_SSV",
                                "CB_GETATTR")
                        .toList()) {
            assertEquals(
                    OptionalLong.empty(),
                    operation(name).resultsMax(NamedArguments.NONE, false),
                    name);
        }
        assertEquals(
                OptionalLong.empty(),
                operation("EXCHANGE_ID").resultsMax(NamedArguments.of("how", 2), false));
        assertEquals(
                OptionalLong.empty(), operation("READLINK").resultsMax(NamedArguments.NONE, true));
    }

    @Test
    void noFailureIsShorterThanItsStatus() {
        for (var kind : CompoundKind.values()) {
            for (var operation : Operation.all(kind)) {
                long most = operation.resultsMax(NamedArguments.NONE, false).orElse(Long.MAX_VALUE);
                assertTrue(most >= STATUS_ONLY, operation::name);
            }
        }
    }

    /** Returns a call, with a tag and arguments as words. */
    private static CompoundCall call(String tag, int minorVersion, int count, int... words) {
        var bytes = ByteBuffer.allocate(1024);
        byte[] text = tag.getBytes(StandardCharsets.UTF_8);
        bytes.putInt(text.length).put(text);
        bytes.position((int) XdrWriter.roundUp(bytes.position()));
        bytes.putInt(minorVersion).putInt(count);
        for (int word : words) {
            bytes.putInt(word);
        }
        var message = MemorySegment.ofArray(bytes.array()).asSlice(0, bytes.position());
        return CompoundCall.walk(CompoundKind.COMPOUND, new XdrReader(message));
    }

    private static final int PUTROOTFH = 24;
    private static final int GETFH = 10;
    private static final int READLINK = 27;
    private static final int GETATTR = 9;

    @Test
    void theEnvelopeEchoesTheTag() {
        assertEquals(new ResultsBound.Bytes(12), call("", 0, 0).longestResults());
        assertEquals(new ResultsBound.Bytes(12 + 8), call("hello", 0, 0).longestResults());
        assertEquals(
                new ResultsBound.Bytes(12 + 4 + 8 + 140),
                call("tag", 1, 2, PUTROOTFH, GETFH).longestResults());
    }

    @Test
    void aReadIsBoundedByItsCountAndIsShortWithoutItsData() {
        int[] read = {25, 0, 0, 0, 0, 0, 0, 4095};
        assertEquals(new ResultsBound.Bytes(12 + 16 + 4096), call("", 0, 1, read).longestResults());
        assertEquals(new ResultsBound.Bytes(12 + 16), call("", 0, 1, read).longestReducedResults());
        int[] most = {25, 0, 0, 0, 0, 0, 0, -1};
        assertEquals(
                new ResultsBound.Bytes(12 + 16 + (1L << 32)),
                call("", 0, 1, most).longestResults());
    }

    /** Data that is placed apart and has not arrived. */
    private static final class Awaited implements Placements {
        private final long position;

        Awaited(long position) {
            this.position = position;
        }

        @Override
        public MemorySegment take(long at, long count) {
            return null;
        }

        @Override
        public boolean awaits(long at, long count) {
            return at == position;
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    @Test
    void aWriteIsBoundedBeforeItsDataHasArrived() {
        var words = new int[] {0, 1, 2, 38, 0, 0, 0, 0, 0, 0, 0, 1 << 20, GETFH};
        var message = ByteBuffer.allocate(words.length * Integer.BYTES);
        message.asIntBuffer().put(words);
        var in = MemorySegment.ofArray(message.array());
        long unknown = 1 << 30;
        int data = (words.length - 1) * Integer.BYTES;
        assertEquals(12 + 24 + 140, LongestReply.of(new XdrReader(in, new Awaited(data)), unknown));
        assertEquals(unknown, LongestReply.of(new XdrReader(in, new Awaited(data + 4)), unknown));
    }

    @Test
    void aLinkIsUnboundedButNotWithoutItsText() {
        var call = call("", 0, 2, PUTROOTFH, READLINK);
        assertEquals(new ResultsBound.Unbounded(1, "READLINK"), call.longestResults());
        assertEquals(new ResultsBound.Bytes(12 + 8 + 12), call.longestReducedResults());
        assertEquals(OptionalLong.empty(), call.reads().getFirst().dataMax());
    }

    @Test
    void theFirstUnboundedOperationIsNamed() {
        int[] acl = {PUTROOTFH, GETATTR, 1, 1 << 12, GETATTR, 1, 1 << 12, GETFH};
        var call = call("", 0, 4, acl);
        assertEquals(new ResultsBound.Unbounded(1, "GETATTR"), call.longestResults());
        assertEquals(new ResultsBound.Unbounded(1, "GETATTR"), call.longestReducedResults());
    }

    @Test
    void theRestOfAnUnknownCallIsUnbounded() {
        assertEquals(
                new ResultsBound.Unbounded(1, "operation 99"),
                call("", 2, 2, GETFH, 99).longestResults());
        assertEquals(
                new ResultsBound.Unbounded(0, "minor version 3"),
                call("", 3, 1, GETFH).longestResults());
        assertEquals(
                new ResultsBound.Unbounded(0, "operations: 4294967295"),
                call("", 1, -1).longestResults());
        assertEquals(
                new ResultsBound.Unbounded(0, "SEQUENCE"), call("", 0, 1, 53).longestResults());
    }
}
