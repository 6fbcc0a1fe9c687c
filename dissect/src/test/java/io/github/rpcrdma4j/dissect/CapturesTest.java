package io.github.rpcrdma4j.dissect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.capture.linux.Capture;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests real traffic of Linux. The expected counts come from another dissector. */
class CapturesTest {
    static Dissection dissect(String name) throws IOException {
        try (var in = Capture.file(name)) {
            return Dissector.dissect(PacketReader.of(in), true, Version1Document.RFC_8166);
        }
    }

    private static String counts(String name) throws IOException {
        var text = new StringBuilder(name);
        for (var connection : dissect(name).connections()) {
            var totals = connection.totals();
            text.append(
                    " | %d calls, %d replies, chunks %d/%d/%d, %d FPDUs"
                            .formatted(
                                    totals.calls(),
                                    totals.replies(),
                                    totals.readChunks(),
                                    totals.writeChunks(),
                                    totals.replyChunks(),
                                    totals.fpdus()));
            assertEquals(0, totals.unanswered() + totals.errors() + totals.bytesMissing(), name);
        }
        return text.append('\n').toString();
    }

    @Test
    void countsLikeAnotherDissector() throws Exception {
        var text = new StringBuilder();
        for (var name : Capture.NAMES) {
            text.append(counts(name));
        }
        assertEquals(
                """
                linux-nfs3 | 49 calls, 49 replies, chunks 2/6/3, 130 FPDUs
                linux-nfs4.1 | 66 calls, 66 replies, chunks 2/6/10, 171 FPDUs
                v3-crc-meta | 32 calls, 32 replies, chunks 1/0/3, 163 FPDUs | 28 calls, 28 replies, chunks 0/3/2, 71 FPDUs
                v3-crc-write1m | 15 calls, 15 replies, chunks 4/0/1, 771 FPDUs
                v4.1-crc-meta | 46 calls, 46 replies, chunks 1/0/9, 217 FPDUs | 48 calls, 48 replies, chunks 0/3/9, 117 FPDUs
                v4.1-crc-read1m | 31 calls, 31 replies, chunks 0/11/3, 833 FPDUs
                """,
                text.toString());
    }

    @Test
    void namesTheProceduresOfNfs3() throws Exception {
        var counts = new TreeMap<String, Long>();
        for (var each : dissect("linux-nfs3").connections().getFirst().totals().procedures()) {
            counts.put(each.name(), each.calls());
        }
        assertEquals(
                "{NFSACLv3 GETACL=1, NFSACLv3 NULL=1, NFSv3 ACCESS=7, NFSv3 CREATE=3,"
                        + " NFSv3 FSINFO=2, NFSv3 FSSTAT=1, NFSv3 GETATTR=6, NFSv3 LOOKUP=8,"
                        + " NFSv3 NULL=1, NFSv3 PATHCONF=1, NFSv3 READ=7, NFSv3 READDIRPLUS=1,"
                        + " NFSv3 READLINK=1, NFSv3 REMOVE=4, NFSv3 RENAME=1, NFSv3 SYMLINK=1,"
                        + " NFSv3 WRITE=3}",
                counts.toString());
    }

    @Test
    void namesTheOperationsOfNfs4() throws Exception {
        var counts = new TreeMap<String, Integer>();
        for (var call : dissect("linux-nfs4.1").connections().getFirst().calls()) {
            for (var operation : call.message().orElseThrow().operations()) {
                counts.merge(operation, 1, Integer::sum);
            }
        }
        assertEquals(
                "{ACCESS=10, CB_RECALL_ANY=1, CB_SEQUENCE=1, CLOSE=6, CREATE=1, CREATE_SESSION=1,"
                        + " DELEGRETURN=3, DESTROY_CLIENTID=1, DESTROY_SESSION=1, EXCHANGE_ID=2,"
                        + " GETATTR=40, GETFH=13, LOOKUP=6, OPEN=6, PUTFH=57, PUTROOTFH=2, READ=7,"
                        + " READDIR=1, READLINK=1, RECLAIM_COMPLETE=1, REMOVE=4, RENAME=1,"
                        + " SAVEFH=1, SECINFO_NO_NAME=1, SEQUENCE=59, WRITE=3}",
                counts.toString());
    }

    private static List<String> findings(ConnectionReport connection) {
        return connection.frames().stream()
                .flatMap(frame -> frame.findings().stream())
                .map(Finding::what)
                .toList();
    }

    /**
     * Goal: each connection of knfsd has one finding, not one for each of its 63 replies that
     * invalidate a handle.
     */
    @Test
    void findsTheInvalidationsThatLinuxDidNotOffer() throws Exception {
        long invalidating = 0;
        for (var name : Capture.NAMES) {
            for (var connection : dissect(name).connections()) {
                assertEquals(List.of(Finding.INVALIDATION_NOT_OFFERED), findings(connection), name);
                assertEquals(1, connection.totals().findings());
                invalidating +=
                        connection.calls().stream()
                                .filter(
                                        call ->
                                                call.answer()
                                                        .flatMap(CallReport.Answer::invalidates)
                                                        .isPresent())
                                .count();
            }
        }
        assertEquals(63, invalidating);
    }

    /**
     * Goal: packets that are not in the order of their times change nothing. Method: one direction
     * behind the other, and neighbours in the place of each other.
     */
    @ParameterizedTest
    @MethodSource("captures")
    void readsPacketsInTheOrderOfTheirTimes(String name) throws Exception {
        byte[] file;
        try (var in = Capture.file(name)) {
            file = in.readAllBytes();
        }
        var wanted = dissect(name);
        for (var order : List.of(Shuffled.byDirection(file), Shuffled.inPairs(file))) {
            var dissection = Conversation.dissect(order);
            assertTrue(dissection.packetsMoved() > 0);
            assertEquals(0, dissection.packetsLate());
            for (int i = 0; i < wanted.connections().size(); i++) {
                var connection = dissection.connections().get(i);
                assertEquals(findings(wanted.connections().get(i)), findings(connection));
                assertEquals(wanted.connections().get(i).totals(), connection.totals());
            }
        }
    }

    static List<String> captures() {
        return Capture.NAMES;
    }

    /** Goal: every moved byte is assigned to a call. Method: all chunks of all calls. */
    @ParameterizedTest
    @MethodSource("captures")
    void tiesEveryOperationToItsChunk(String name) throws Exception {
        for (var connection : dissect(name).connections()) {
            long read = 0;
            long written = 0;
            for (var call : connection.calls()) {
                for (var chunk : call.chunks()) {
                    boolean isRead =
                            chunk.kind() == Kind.READ || chunk.kind() == Kind.POSITION_ZERO_READ;
                    long wanted = isRead ? chunk.size() : chunk.returned().orElse(0);
                    assertEquals(wanted, chunk.moved(), call.name());
                    read += isRead ? chunk.moved() : 0;
                    written += isRead ? 0 : chunk.moved();
                    for (var transfer : chunk.transfers()) {
                        assertTrue(transfer.complete(), call.name());
                        assertEquals(transfer.requested(), transfer.bytes(), call.name());
                        assertTrue(transfer.first().nanos() >= call.called().nanos());
                        assertTrue(
                                transfer.last().nanos()
                                        <= call.answer().orElseThrow().at().nanos());
                    }
                }
            }
            assertEquals(connection.totals().readBytes(), read);
            assertEquals(connection.totals().writeBytes(), written);
            assertEquals(List.of(Finding.INVALIDATION_NOT_OFFERED), findings(connection));
            assertEquals(0, connection.totals().callsNotJudged());
            assertEquals(0, connection.totals().repliesNotJudged());
        }
    }

    @Test
    void showsAWriteOf256KibWithItsChunkAndItsOperation() throws Exception {
        var lines = new ArrayList<String>();
        TextForm.write(dissect("linux-nfs3"), lines::add);
        int at = lines.indexOf("0x481bd5e6 NFSv3 WRITE");
        assertEquals(
                """
                0x481bd5e6 NFSv3 WRITE
                         +0.000 ms  call   RDMA_MSG, 164 bytes, asks for 128 credits             (packet 38)
                                   chunk 0: Read chunk at position 112, 262144 bytes in 1 segments
                         +1.805 ms  read   RDMA Read of chunk 0, segment 0: 262144 bytes in 6 frames, 4.805 ms (packet 39)
                        +10.481 ms  reply  SUCCESS OK, RDMA_MSG, 164 bytes, grants 64 credits, invalidates 0x7f2e9201 (packet 58)\
                """,
                String.join("\n", lines.subList(at, at + 5)));
    }

    @Test
    void showsEveryLayerOfAFrame() throws Exception {
        var lines = new ArrayList<String>();
        TextForm.write(dissect("linux-nfs4.1"), lines::add);
        assertEquals(
                """
                330 packets, 330 of TCP; 1 connections of iWARP, 0 others

                Connection 1: 10.0.2.15:38310 > 10.0.2.15:20049\
                """,
                String.join("\n", lines.subList(0, 3)));
        assertTrue(lines.stream().anyMatch(line -> line.contains("(in a chunk)")));
    }

    @Test
    void isTheSameEveryTime() throws Exception {
        for (var name : Capture.NAMES) {
            assertEquals(
                    JsonForm.of(dissect(name), true).toString(),
                    JsonForm.of(dissect(name), true).toString());
        }
    }
}
