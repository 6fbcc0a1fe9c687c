package io.github.rpcrdma4j.nfs.server.users;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemAccountsTest {
    @TempDir private Path directory;
    private final AtomicLong now = new AtomicLong();
    private SystemAccounts accounts;

    @BeforeEach
    void write() throws Exception {
        var users = directory.resolve("passwd");
        Files.writeString(
                users,
                """
                root:x:0:0:root:/:/bin/sh
                broken
                strange:x:many:few::
                alice:x:1001:100:Alice:/:/bin/sh
                """);
        var groups = directory.resolve("group");
        Files.writeString(
                groups,
                """
                users:x:100:
                staff:x:50:bob,alice
                odd:x:none:alice
                audio:x:29:alice
                """);
        accounts = new SystemAccounts(new LocalAccounts(users, groups, now::get), "REALM");
    }

    private Credential user(String name) {
        return accounts.of(new Credential.Principal(name, SecurityFlavor.KRB5));
    }

    @Test
    void findsUsersAndTheirGroups() {
        assertEquals(
                new Credential.Sys(0, "alice", 1001, 100, List.of(50, 29)), user("alice@REALM"));
    }

    @Test
    void findsOwnersByTheirNamesInTheDomain() {
        assertEquals(OptionalInt.of(1001), accounts.user("alice@realm"));
        assertEquals(OptionalInt.of(50), accounts.group("staff@Realm"));
        assertEquals(Optional.of("alice@realm"), accounts.nameOfUser(1001));
        assertEquals(Optional.of("staff@realm"), accounts.nameOfGroup(50));
        assertEquals(Optional.empty(), accounts.nameOfUser(50));
        assertEquals(Optional.empty(), accounts.nameOfGroup(1001));
        for (var name :
                List.of("bob@realm", "alice", "alice@realm.org", "@realm", "", "strange@realm")) {
            assertEquals(OptionalInt.empty(), accounts.user(name), name);
            assertEquals(OptionalInt.empty(), accounts.group(name), name);
        }
    }

    /** A user may put such bytes into the line of its own with chfn(1). */
    @Test
    void bytesThatAreNoUtf8HideNoOthers() throws Exception {
        var users =
                """
                mallory:x:1002:100:room \u00ff:/:/bin/sh
                b\u00fcrger:x:1003:100::/:/bin/sh
                alice:x:1001:100:Alice:/:/bin/sh
                """;
        Files.writeString(directory.resolve("passwd"), users, StandardCharsets.ISO_8859_1);
        var groups = "staff:x:50:b\u00fcrger,alice\n";
        Files.writeString(directory.resolve("group"), groups, StandardCharsets.ISO_8859_1);
        assertEquals(new Credential.Sys(0, "alice", 1001, 100, List.of(50)), user("alice@REALM"));
        assertEquals(new Credential.Sys(0, "mallory", 1002, 100, List.of()), user("mallory@REALM"));
        assertEquals(Optional.empty(), accounts.nameOfUser(1003));
        assertEquals(OptionalInt.of(50), accounts.group("staff@realm"));
        Files.writeString(directory.resolve("passwd"), users);
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        assertEquals(OptionalInt.of(1003), accounts.user("b\u00fcrger@realm"));
    }

    /** Some versions of chfn(1) take a carriage return (CVE-2023-29383). */
    @Test
    void aCarriageReturnEndsNoLine() throws Exception {
        Files.writeString(
                directory.resolve("passwd"),
                "mallory:x:1002:100:room\rmallory2:x:0:0::/:/bin/sh\nalice:x:1001:100::/:\r\n");
        assertEquals(new Credential.None(), user("mallory2@REALM"));
        assertEquals(OptionalInt.of(1001), accounts.user("alice@realm"));
    }

    @Test
    void readsTheFilesOnceInAWhileWhateverIsAskedFor() throws Exception {
        assertEquals(OptionalInt.empty(), accounts.user("unknown@realm"));
        Files.delete(directory.resolve("passwd"));
        Files.delete(directory.resolve("group"));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(OptionalInt.empty(), accounts.user("unknown" + i + "@realm"));
        }
        assertEquals(OptionalInt.of(1001), accounts.user("alice@realm"));
    }

    @Test
    void seesChangesAfterAWhile() throws Exception {
        var alice = user("alice@REALM");
        Files.writeString(directory.resolve("passwd"), "bob:x:7:8::");
        assertEquals(alice, user("alice@REALM"));
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        assertEquals(new Credential.None(), user("alice@REALM"));
        assertEquals(new Credential.Sys(0, "bob", 7, 8, List.of(50)), user("bob@REALM"));
    }

    @Test
    void mapsUnknownPrincipalsToNoUser() {
        for (var name :
                List.of(
                        "bob@REALM",
                        "alice@OTHER",
                        "alice",
                        "nfs/alice@REALM",
                        "strange@REALM",
                        "broken@REALM",
                        "@REALM")) {
            assertEquals(new Credential.None(), user(name), name);
        }
    }

    @Test
    void mapsEveryPrincipalToNoUserWithoutAccounts() {
        var none =
                new SystemAccounts(
                        new LocalAccounts(
                                directory.resolve("no"), directory.resolve("no"), now::get),
                        "REALM");
        assertEquals(
                new Credential.None(),
                none.of(new Credential.Principal("alice@REALM", SecurityFlavor.KRB5)));
    }
}
