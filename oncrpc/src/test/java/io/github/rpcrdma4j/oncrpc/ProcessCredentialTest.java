package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the credential of a process equals its identity in the operating system. */
class ProcessCredentialTest {
    @TempDir private Path directory;

    private static String status(String uids, String gids, String groups) {
        return "Name:\tjava\nUmask:\t0022\nState:\tR (running)\nTgid:\t4711\nUid:\t"
                + uids
                + "\nGid:\t"
                + gids
                + "\nFDSize:\t64\nGroups:\t"
                + groups
                + " \nNStgid:\t4711\n";
    }

    private static Optional<Credential.Sys> parsed(String status) {
        return ProcessCredential.ofStatus(status, "box");
    }

    private static Optional<Credential.Sys> sys(int uid, int gid, Integer... groups) {
        return Optional.of(new Credential.Sys(0, "box", uid, gid, List.of(groups)));
    }

    @Test
    void readsUserGroupAndFurtherGroups() {
        assertEquals(
                sys(1000, 1001, 4, 24, 27),
                parsed(status("1000\t1000\t1000\t1000", "1001\t1001\t1001\t1001", "4 24 27 1001")));
        assertEquals(sys(0, 0), parsed(status("0\t0\t0\t0", "0\t0\t0\t0", "")));
        assertEquals(
                sys(-2, -3, -4),
                parsed(
                        status(
                                "0\t0\t0\t4294967294",
                                "0\t0\t0\t4294967293",
                                "4294967292 4294967292")));
    }

    /** The last of the four ids is the one for access to files. */
    @Test
    void takesTheIdsOfTheFileSystem() {
        assertEquals(sys(4, 8), parsed(status("1\t2\t3\t4", "5\t6\t7\t8", "")));
    }

    @Test
    void saysNoMoreGroupsThanAuthSysCarries() {
        var many = IntStream.range(100, 132).mapToObj(Integer::toString);
        var found =
                parsed(
                        status(
                                "1\t1\t1\t1",
                                "100\t100\t100\t100",
                                many.collect(Collectors.joining(" "))));
        assertEquals(IntStream.range(101, 117).boxed().toList(), found.orElseThrow().gids());
        RawAuth.of(found.orElseThrow());
    }

    @Test
    void saysNothingOfWhatItCannotRead() {
        for (var text :
                List.of(
                        "",
                        "Name:\tjava\n",
                        "Uid:\t1\t1\t1\t1\n",
                        "Uid:\t1\t1\t1\nGid:\t1\t1\t1\t1\n",
                        status("x\t1\t1\t1", "1\t1\t1\t1", ""),
                        status("1\t1\t1\t1", "1\t1\t1\t1", "4 -1"))) {
            assertEquals(Optional.empty(), parsed(text), text);
        }
    }

    /** The process itself creates the file, so the file's owner is the expected user. */
    @Test
    void isTheOwnerOfNewFiles() throws Exception {
        var file = Files.createFile(directory.resolve("new"));
        assumeTrue(file.getFileSystem().supportedFileAttributeViews().contains("unix"));
        var attributes = Files.readAttributes(file, "unix:uid,gid");
        if (!(ProcessCredential.read() instanceof Credential.Sys own)) {
            throw new AssertionError("a system with owners tells who this is");
        }
        assertEquals(attributes, Map.of("uid", own.uid(), "gid", own.gid()));
        assertEquals(Optional.of(own), ProcessCredential.ofUnix());
    }
}
