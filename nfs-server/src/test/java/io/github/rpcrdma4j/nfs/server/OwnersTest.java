package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.users.TestAccounts;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: owners have names with Kerberos, and numbers without (RFC 8881, Section 5.9). */
class OwnersTest {
    private static final Credential BOSS =
            new Credential.Principal("boss@EXAMPLE.ORG", SecurityFlavor.KRB5P);

    @TempDir private Path etc;
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;
    private Path file;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can give files away");
        var accounts =
                TestAccounts.of(
                        etc,
                        "EXAMPLE.ORG",
                        """
                        boss:x:0:0::
                        alice:x:1001:100::
                        """,
                        """
                        users:x:100:
                        staff:x:50:alice
                        """);
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        file = Files.writeString(testDirectory.root().resolve("file"), "text");
        var export =
                new Export(
                        TestServer.EXPORT,
                        testDirectory.root(),
                        List.of(ExportRule.trusting(false)),
                        List.of(SecurityFlavor.KRB5P, SecurityFlavor.SYS));
        server = TestServer.of(List.of(export), accounts);
        client = CompoundClient.of(server, BOSS, 2, "client", CompoundClient.CHANNEL);
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
            testDirectory.close();
        }
    }

    private void give(int uid, int gid) throws Exception {
        Files.setAttribute(file, "unix:uid", uid);
        Files.setAttribute(file, "unix:gid", gid);
    }

    private List<String> owners() throws Exception {
        var got =
                (AttributeResult.GetAttr)
                        client.last(at("file", getAttr(Attribute.OWNER, Attribute.OWNER_GROUP)));
        var facts = ReadAttributes.decode(got.attributes());
        return List.of(
                new String(facts.bytes(Attribute.OWNER)),
                new String(facts.bytes(Attribute.OWNER_GROUP)));
    }

    private Nfs4Status set(Who owner, Who group) throws Exception {
        var changes = SetAttributes.NONE.withOwner(Optional.of(owner), Optional.of(group));
        return client.status(at("file", setAttr(StateId.ANONYMOUS, changes)));
    }

    private List<Object> ids() throws Exception {
        return List.of(Files.getAttribute(file, "unix:uid"), Files.getAttribute(file, "unix:gid"));
    }

    @Test
    void ownersAreReadByNameAndOtherwiseAsNumbers() throws Exception {
        give(1001, 50);
        assertEquals(List.of("alice@example.org", "staff@example.org"), owners());
        give(1002, 51);
        assertEquals(List.of("1002", "51"), owners());
        give(1001, 50);
        client.become(CompoundClient.ROOT);
        assertEquals(List.of("1001", "50"), owners());
    }

    @Test
    void ownersAreSetByNameAndByNumber() throws Exception {
        assertEquals(Nfs4Status.OK, set(Who.of("alice@example.org"), Who.of("staff@EXAMPLE.org")));
        assertEquals(List.of(1001, 50), ids());
        assertEquals(Nfs4Status.OK, set(Who.ofId(1002), Who.ofId(51)));
        assertEquals(List.of(1002, 51), ids());
    }

    @Test
    void unknownNamesAreBadOwners() throws Exception {
        give(1001, 50);
        var group = Who.of("staff@example.org");
        for (var name :
                List.of("bob@example.org", "alice", "alice@other.org", "@example.org", "", "-1")) {
            assertEquals(Nfs4Status.BADOWNER, set(Who.of(name), group), name);
        }
        assertEquals(
                Nfs4Status.BADOWNER, set(Who.of("alice@example.org"), Who.of("alice@example.org")));
        assertEquals(Nfs4Status.INVAL, set(Who.of(new byte[] {(byte) 0xff}), group));
        client.become(CompoundClient.ROOT);
        assertEquals(Nfs4Status.BADOWNER, set(Who.of("alice@example.org"), group));
        assertEquals(List.of(1001, 50), ids());
    }

    @Test
    void ownersAreComparedByName() throws Exception {
        give(1001, 50);
        var alice =
                SetAttributes.NONE.withOwner(
                        Optional.of(Who.of("alice@example.org")), Optional.empty());
        assertEquals(
                Nfs4Status.OK,
                client.status(at("file", new AttributeArguments.Verify(encoded(alice)))));
    }

    @Test
    void entriesOfListsHaveNamesToo() throws Exception {
        var got =
                (AttributeResult.GetAttr)
                        client.last(at("file", getAttr(Attribute.SUPPORTED_ATTRS)));
        var supported =
                ReadAttributes.decode(got.attributes()).attributes(Attribute.SUPPORTED_ATTRS);
        assumeTrue(supported.has(Attribute.ACL), "the file system has no access control lists");
        var list =
                List.of(
                        new Ace(Ace.ALLOW, 0, Ace.READ_DATA, Who.OWNER),
                        new Ace(Ace.ALLOW, 0, Ace.READ_DATA, Who.of("alice@example.org")),
                        new Ace(Ace.ALLOW, 0, 0, Who.GROUP),
                        new Ace(Ace.ALLOW, 0, 0, Who.EVERYONE));
        var changes = SetAttributes.NONE.withAcl(list);
        client.last(at("file", setAttr(StateId.ANONYMOUS, changes)));
        assertTrue(acl().contains("alice@example.org"));
        client.become(CompoundClient.ROOT);
        assertTrue(acl().contains("1001"));
    }

    private List<String> acl() throws Exception {
        var got = (AttributeResult.GetAttr) client.last(at("file", getAttr(Attribute.ACL)));
        return ReadAttributes.decode(got.attributes()).acl().stream()
                .map(each -> each.who().toString())
                .toList();
    }
}
