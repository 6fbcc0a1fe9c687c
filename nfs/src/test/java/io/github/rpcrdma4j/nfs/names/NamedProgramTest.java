package io.github.rpcrdma4j.nfs.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NamedProgramTest {
    private static final int NFS = 100003;
    private static final int NLM = 100021;

    private static NamedProgram program(int program, int version) {
        return NamedProgram.of(program, version).orElseThrow();
    }

    private static Map<Integer, String> names(Enum<?>[] procedures) {
        var names = new TreeMap<Integer, String>();
        for (var each : procedures) {
            names.put(each.ordinal(), each.name());
        }
        return names;
    }

    private static OptionalInt status(NamedProgram program, int procedure, String hex)
            throws XdrException {
        return program.status(
                procedure, new XdrReader(MemorySegment.ofArray(HexFormat.of().parseHex(hex))));
    }

    @Test
    void hasTheProceduresOfTheOtherTables() {
        assertEquals(names(Nfs2Binding.Procedure.values()), program(NFS, 2).procedures());
        assertEquals(names(Procedure.values()), program(NFS, 3).procedures());
        assertEquals(names(Mount3.Procedure.values()), program(100005, 3).procedures());
    }

    @Test
    void namesProceduresByTheirNumbers() {
        assertEquals(Optional.of("COMPOUND"), program(NFS, 4).procedure(1));
        assertEquals(Optional.of("GRANTED_RES"), program(NLM, 1).procedure(15));
        assertEquals(Optional.empty(), program(NLM, 1).procedure(20));
        assertEquals(Optional.of("SHARE"), program(NLM, 3).procedure(20));
        assertEquals(Optional.of("FREE_ALL"), program(NLM, 4).procedure(23));
        assertEquals(Optional.empty(), program(NLM, 4).procedure(16));
        assertEquals(Optional.of("NOTIFY"), program(100024, 1).procedure(6));
        assertEquals(Optional.of("GETXATTRDIR"), program(100227, 2).procedure(5));
        assertEquals(Optional.of("GETXATTRDIR"), program(100227, 3).procedure(3));
        assertEquals(Optional.of("GETSTAT"), program(100000, 4).procedure(12));
        assertEquals(Optional.of("CB_COMPOUND"), NamedProgram.CALLBACK.procedure(1));
        assertEquals(Optional.empty(), program(NFS, 4).procedure(-1));
    }

    @Test
    void knowsProgramsInUnknownVersions() {
        assertEquals(Optional.empty(), NamedProgram.of(NLM, 2));
        assertEquals(Optional.of("NLM"), NamedProgram.name(NLM));
        assertEquals(Optional.of("RPCBIND"), NamedProgram.name(100000));
        assertEquals("PORTMAP", program(100000, 2).name());
        assertEquals(Optional.empty(), NamedProgram.name(100417));
        assertEquals(Optional.empty(), NamedProgram.of(0x40000000, 1));
    }

    @Test
    void readsTheStatusOfResults() throws Exception {
        assertEquals(OptionalInt.of(2), status(program(NFS, 4), 1, "00000002"));
        assertEquals(OptionalInt.empty(), status(program(NFS, 4), 0, ""));
        assertEquals(OptionalInt.empty(), status(program(NFS, 2), 3, "00000001"));
        assertEquals(OptionalInt.of(4), status(program(NLM, 4), 2, "00000002abcd000000000004"));
        assertEquals(OptionalInt.empty(), status(program(NLM, 4), 12, "00000001"));
        assertEquals(OptionalInt.of(1), status(program(100024, 1), 1, "0000000100000007"));
        assertEquals(OptionalInt.empty(), status(program(100024, 1), 3, "00000007"));
        assertThrows(XdrException.class, () -> status(program(NLM, 4), 2, "00000002abcd0000"));
        assertThrows(XdrException.class, () -> status(program(NLM, 4), 2, "7fffffff"));
    }

    @Test
    void namesStatuses() {
        assertEquals(Optional.of("WFLUSH"), program(NFS, 2).statusName(99));
        assertEquals(Optional.of("JUKEBOX"), program(NFS, 3).statusName(10008));
        assertEquals(Optional.of("BADSESSION"), program(NFS, 4).statusName(10052));
        assertEquals(Optional.of("BADSESSION"), NamedProgram.CALLBACK.statusName(10052));
        assertEquals(Optional.of("DENIED_GRACE_PERIOD"), program(NLM, 4).statusName(4));
        assertEquals(Optional.of("NOTSUPP"), program(100005, 3).statusName(10004));
        assertEquals(Optional.empty(), program(100005, 1).statusName(13));
        assertEquals(Optional.of("FAIL"), program(100024, 1).statusName(1));
        for (var acl : List.of(program(100227, 3), program(NFS, 3))) {
            for (var each : Status.values()) {
                assertEquals(Optional.of(each.name()), acl.statusName(each.number()));
            }
        }
        assertEquals(Optional.empty(), program(NFS, 3).statusName(-1));
    }
}
