package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.CommandProcess;
import io.github.rpcrdma4j.cli.CommandProcess.Ended;
import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.krb5.EmbeddedKdc;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosAcceptor;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosInitiator;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosLogin;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: commands work with Kerberos. Method: tickets of an embedded KDC, and a server on iWARP. */
class KerberosCommandsTest {
    private static final String SERVICE = "nfs/localhost";
    private static final List<SecurityFlavor> PROVED =
            List.of(SecurityFlavor.KRB5, SecurityFlavor.KRB5I, SecurityFlavor.KRB5P);

    private static final String WANTS = "the server wants another flavor of security: --sec ";

    @TempDir private static Path realm;
    private static EmbeddedKdc kdc;
    private static Path tickets;
    private static KerberosAcceptor acceptor;

    @TempDir private Path directory;
    private final AtomicLong now = new AtomicLong();
    private final GssServer contexts = new GssServer(acceptor, now::get);
    private final ConcurrentHashMap<String, Integer> callers = new ConcurrentHashMap<>();
    private final Console console = new Console();
    private Path exported;
    private ServedDirectory served;
    private String base;

    @BeforeAll
    static void startKdc() throws Exception {
        kdc = EmbeddedKdc.start(realm);
        tickets = kdc.ticketCache("alice");
        acceptor = new KerberosAcceptor(KerberosLogin.ofService(kdc.keytab(SERVICE), SERVICE));
    }

    @AfterAll
    static void stopKdc() throws Exception {
        kdc.close();
    }

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        KerberosUsers identities =
                principal -> {
                    callers.merge(principal.name() + " " + principal.flavor(), 1, Integer::sum);
                    return CallerOptions.user();
                };
        var nfs =
                new NfsServer(
                        List.of(
                                new Export("/any", exported, false, PROVED),
                                new Export("/secret", exported, false, List.of(PROVED.getLast()))),
                        HandleKey.random(),
                        identities);
        served = ServedDirectory.of("localhost", nfs, List.of(contexts));
        base = served.base();
    }

    @AfterEach
    void stop() {
        served.close();
        contexts.close();
    }

    private void succeeds(SecurityFlavor flavor, String command, String... arguments) {
        assertEquals(0, console.run(command(flavor, tickets, command, arguments)), console::err);
    }

    private static String[] command(
            SecurityFlavor flavor, Path cache, String command, String... arguments) {
        var all = new ArrayList<String>();
        all.addAll(List.of(command, "--sec", flavor.word(), "--ticket-cache", cache.toString()));
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    @Test
    void copiesInAndBackUnderEveryFlavor() throws Exception {
        byte[] bytes = new byte[3 << 20];
        new Random(3).nextBytes(bytes);
        var original = Files.write(directory.resolve("original"), bytes);
        for (var flavor : PROVED) {
            var name = "copy-" + flavor.word();
            succeeds(flavor, "put", original.toString(), base + "/any/" + name);
            assertArrayEquals(bytes, Files.readAllBytes(exported.resolve(name)));
            succeeds(flavor, "ls", base + "/any");
            assertTrue(console.out().contains(name), console::out);
            var back = directory.resolve(name + "-back");
            succeeds(flavor, "get", base + "/any/" + name, back.toString());
            assertArrayEquals(bytes, Files.readAllBytes(back));
            assertTrue(callers.containsKey("alice@" + EmbeddedKdc.REALM + " " + flavor));
        }
        assertEquals(PROVED.size(), callers.size());
        // Every command destroyed its security context.
        assertEquals(0, contexts.contexts());
    }

    @Test
    void asksForTheFlavorOfAnExport() {
        console.failsWithOneLine(
                "permission denied",
                command(PROVED.getFirst(), tickets, "ls", "--vers", "3", base + "/secret"));
        console.failsWithOneLine(
                WANTS + "krb5p", command(PROVED.getFirst(), tickets, "ls", base + "/secret"));
        console.failsWithOneLine(WANTS + "krb5p", "ls", base + "/secret");
        for (var version : List.of("4.0", "4.1", "4.2")) {
            console.failsWithOneLine(
                    "rpcrdma: cannot find /any: " + WANTS + "krb5, krb5i or krb5p",
                    "ls",
                    "--sec",
                    "none",
                    "--vers",
                    version,
                    base + "/any");
        }
        assertEquals(Set.of("alice@" + EmbeddedKdc.REALM + " KRB5"), callers.keySet());
        succeeds(SecurityFlavor.KRB5P, "ls", base + "/secret");
    }

    /** Goal: nobody is led to a weaker flavor, over either transport. */
    @Test
    void namesTheFlavorOfAnExportOverTcp() throws Exception {
        var dispatcher = new RpcDispatcher(served.nfs().programs(), List.of(contexts));
        var address = new InetSocketAddress(InetAddress.getByName("localhost"), 0);
        try (var tcp = TcpRpcServer.listen(address, dispatcher, TcpRpcOptions.DEFAULT)) {
            var url = "nfs://localhost:" + tcp.address().getPort() + "/secret";
            console.failsWithOneLine(WANTS + "krb5p", "ls", url);
            console.failsWithOneLine(
                    WANTS + "krb5p", command(PROVED.getFirst(), tickets, "ls", url));
            succeeds(SecurityFlavor.KRB5P, "ls", url);
        }
    }

    /** An export that wants another flavor is listed with the others. */
    @Test
    void listsExportsThatWantAnotherFlavor() {
        succeeds(PROVED.getFirst(), "ls", "-l", base + "/");
        assertTrue(console.out().lines().anyMatch(each -> each.startsWith("drwx")), console::out);
        assertTrue(console.out().lines().anyMatch(each -> each.startsWith("d---------")));
        assertEquals(2, console.out().lines().count(), console::out);
        assertEquals(1, console.run(command(PROVED.getFirst(), tickets, "ls", "-R", base + "/")));
        assertTrue(console.err().contains("/secret: " + WANTS + "krb5p"), console::err);
        assertTrue(console.out().contains("/any"), console::out);
    }

    @Test
    void saysWhatToDoWithoutATicket() {
        console.failsWithOneLine(
                "there is no valid Kerberos ticket: run kinit",
                command(SecurityFlavor.KRB5P, directory.resolve("none"), "ls", base + "/any"));
    }

    @Test
    void saysWhichServerKerberosDoesNotKnow() {
        console.failsWithOneLine(
                "cannot authenticate with Kerberos to nfs@127.0.0.1",
                command(
                        SecurityFlavor.KRB5,
                        tickets,
                        "ls",
                        base.replace("localhost", "127.0.0.1") + "/any"));
    }

    @Test
    void takesNoTicketForAnotherServer() throws Exception {
        var name = "nfs/other.example";
        var acceptorOfOther = new KerberosAcceptor(KerberosLogin.ofService(kdc.keytab(name), name));
        try (var others = new GssServer(acceptorOfOther);
                var other =
                        RpcRdmaServer.builder()
                                .provider(new IwarpProvider())
                                .address(
                                        new InetSocketAddress(
                                                InetAddress.getByName("localhost"), 0))
                                .dispatcher(
                                        new RpcDispatcher(served.nfs().programs(), List.of(others)))
                                .start()) {
            var url = "rdma://localhost:" + other.address().getPort() + "/any";
            console.failsWithOneLine(
                    "the server refuses the security context",
                    command(SecurityFlavor.KRB5I, tickets, "ls", url));
        }
    }

    @Test
    void saysThatAFlavorDoesNotExist() {
        assertEquals(2, console.run("ls", "--sec", "krb4", base + "/any"));
        assertTrue(console.err().contains("not krb4"), console::err);
    }

    @Test
    void outlivesContextsThatTheServerForgets() throws Exception {
        Files.writeString(exported.resolve("file"), "there");
        var initiator =
                new KerberosInitiator(
                        KerberosLogin.ofTicketCache(Optional.of(tickets)), "nfs@localhost");
        Connector connector =
                () ->
                        new GssClient(
                                RpcRdmaClient.builder()
                                        .provider(new IwarpProvider())
                                        .binding(Nfs3Binding.BINDING)
                                        .connect(served.address()),
                                initiator,
                                GssService.INTEGRITY);
        var service =
                NfsClient.connect(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3));
        try (var mount = NfsMount.of(service, "/any")) {
            for (int i = 0; i < 3; i++) {
                assertEquals(5, mount.resolve("/any/file").attributes().size());
                now.addAndGet(Duration.ofDays(1).toNanos());
            }
        }
    }

    @Test
    @Tag("8166-8.2.2.1-1")
    void servesOverTcpTooWhereClientsNeedIt() {
        assertEquals(List.of(":2049"), ServerSecurityOptions.tcp(List.of(), PROVED));
        assertEquals(List.of(":1"), ServerSecurityOptions.tcp(List.of(":1"), PROVED));
        assertEquals(List.of(), ServerSecurityOptions.tcp(List.of(), List.of(SecurityFlavor.SYS)));
    }

    private static String configuration() {
        return realm.resolve("krb5.conf").toString();
    }

    private String[] listing() {
        return command(SecurityFlavor.KRB5, tickets, "ls", base + "/any");
    }

    /** Uses separate processes, because the JDK keeps its Kerberos configuration per process. */
    @Test
    void readsTheConfigurationThatTheEnvironmentNames() throws Exception {
        assertEquals(
                new Ended(0, List.of()),
                CommandProcess.with(Map.of("KRB5_CONFIG", configuration()), listing()));
        assertEquals(
                new Ended(0, List.of()),
                CommandProcess.with(
                        Map.of("KRB5_CONFIG", directory + "/none::" + configuration()), listing()));
    }

    @Test
    void refusesAConfigurationThatIsNotThereOrInSeveralFiles() throws Exception {
        var none = CommandProcess.with(Map.of("KRB5_CONFIG", directory + "/none"), listing());
        assertEquals(
                new Ended(
                        1,
                        List.of(
                                "rpcrdma: KRB5_CONFIG names no file that can be read: "
                                        + directory
                                        + "/none")),
                none);
        var other = Files.writeString(directory.resolve("other.conf"), "[libdefaults]\n");
        var several = other + ":" + configuration();
        var ended = CommandProcess.with(Map.of("KRB5_CONFIG", several), listing());
        assertEquals(1, ended.status());
        assertTrue(ended.errLines().getFirst().contains("several files"), ended::toString);
        assertEquals(1, ended.errLines().size(), ended::toString);
    }

    @Test
    void saysThatThereIsNoRealm() throws Exception {
        var nowhere = Files.writeString(directory.resolve("empty.conf"), "[libdefaults]\n");
        var environment = Map.of("KRB5_CONFIG", nowhere.toString());
        var client = CommandProcess.with(environment, listing());
        assertEquals(1, client.status());
        assertEquals(1, client.errLines().size(), client::toString);
        assertTrue(client.errLines().getFirst().contains("no default realm"), client::toString);
        var server = CommandProcess.with(environment, serving(SERVICE));
        assertEquals(1, server.status());
        assertEquals(1, server.errLines().size(), server::toString);
        assertTrue(
                server.errLines()
                        .getFirst()
                        .startsWith("rpcrdma: nfs/localhost has no realm, and Kerberos knows no"),
                server::toString);
    }

    @Test
    void saysInWhichRealmTheKeytabHasNoKeys() throws Exception {
        var other =
                Files.writeString(
                        directory.resolve("other.conf"),
                        "[libdefaults]\n  default_realm = OTHER.EXAMPLE\n");
        var ended = CommandProcess.with(Map.of("KRB5_CONFIG", other.toString()), serving(SERVICE));
        assertEquals(1, ended.status());
        assertEquals(1, ended.errLines().size(), ended::toString);
        assertTrue(
                ended.errLines().getFirst().contains("no keys for nfs/localhost@OTHER.EXAMPLE"),
                ended::toString);
    }

    private static String[] serving(String principal) {
        return new String[] {
            "serve",
            "mem:",
            "--listen",
            "127.0.0.1:0",
            "--sec",
            "krb5",
            "--keytab",
            realm.resolve("nfs_localhost.keytab").toString(),
            "--principal",
            principal
        };
    }

    /** Goal: if the NFS port is in use, the message tells the operator why the server wanted it. */
    @Test
    void saysWhyItListensOnTcp() throws Exception {
        try (var taken = new ServerSocket()) {
            try {
                taken.bind(new InetSocketAddress(2049));
            } catch (BindException _) {
                // Another server of this host has bound the port, which serves the test as well.
            }
            console.failsWithOneLine("--tcp HOST:PORT says where", serving(SERVICE));
        }
        assertTrue(console.err().contains(":2049"), console::err);
    }

    /** Copies a file to a name that is no UTF-8, and returns the name as an argument has it. */
    private String withLatinName(Path file) throws Exception {
        var argument = directory + "/caf\udce9";
        try {
            Files.copy(file, RawArguments.path(argument));
        } catch (IOException | InvalidPathException _) {
            assumeTrue(false, "this file system has names in UTF-8 only");
        }
        return argument;
    }

    @Test
    void takesATicketCacheWhoseNameIsNoUtf8() throws Exception {
        var flavor = SecurityFlavor.KRB5.word();
        var cache = withLatinName(tickets);
        console.succeeds("ls", "--sec", flavor, "--ticket-cache", cache, base + "/any");
    }

    /** Goal: the server has read the keys when it fails for want of an address to listen at. */
    @Test
    void takesAKeytabWhoseNameIsNoUtf8() throws Exception {
        var arguments = serving(SERVICE);
        arguments[7] = withLatinName(realm.resolve("nfs_localhost.keytab"));
        try (var taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress("localhost", 0));
            var all = new ArrayList<>(List.of(arguments));
            all.addAll(List.of("--tcp", "localhost:" + taken.getLocalPort()));
            console.failsWithOneLine("" + taken.getLocalPort(), all.toArray(String[]::new));
        }
        assertFalse(console.err().contains("keytab"), console::err);
    }

    @Test
    void servesWithKeysAlone() {
        assertEquals(2, console.run("serve", "mem:", "--sec", "krb5"));
        assertTrue(console.err().contains("needs --keytab and --principal"), console::err);
        for (var unused : List.of("--keytab", "--principal")) {
            assertEquals(2, console.run("serve", "mem:", "--listen", "localhost:0", unused, "x"));
            assertTrue(console.err().contains("no effect without Kerberos"), console::err);
        }
        console.failsWithOneLine(
                "cannot be read",
                "serve",
                "mem:",
                "--sec",
                "krb5,sys",
                "--keytab",
                directory.resolve("none").toString(),
                "--principal",
                SERVICE);
    }
}
