package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a test counts for a program only if it starts that program. Method: small tests, compiled
 * into {@code compliance.proof}, and stand-ins of the product in {@code compliance.proof.product}.
 */
class ProofsTest {
    private static final String FIXTURES = "io/github/rpcrdma4j/compliance/proof/";

    private static TestCode code() throws IOException {
        var code = new TestCode(FIXTURES + "product/");
        code.add(Path.of("target/test-classes", FIXTURES, "tests"));
        return code;
    }

    private static Proofs proofs() throws IOException {
        return new Proofs(code());
    }

    private static Ledger ledger(String... rows) {
        var lines = new ArrayList<>(List.of(Ledger.TITLES));
        lines.addAll(List.of(rows));
        return Ledger.of(Map.of("8166", lines));
    }

    private static Rule rule(String level, String who) {
        var row = "8166-1-1\t1\t" + level + "\t" + who + "\tDo.\timplemented";
        return ledger(row).rules().get("8166-1-1");
    }

    private static CoveringTests covering(String className, String method) {
        var tests = new CoveringTests();
        tests.scan(
                className,
                "    @Test\n    @Tag(\"8166-1-1\")\n    void %s() {}\n".formatted(method));
        return tests;
    }

    /**
     * @param started the programs that the test starts, separated by spaces; may be empty
     */
    @ParameterizedTest
    @CsvSource({
        "StartingTest, startsItself, SERVER",
        "StartingTest, startsInALambda, SERVER",
        "StartingTest, startsByAMethodReference, SERVER",
        "StartingTest, startsInATask, SERVER",
        "StartingTest, startsByHelp, CLIENT",
        "StartingTest, startsByAnInterface, CLIENT",
        "StartingTest, startsAResource, SERVER",
        "StartingTest, startsNothing, ''",
        "StartingTest, usesAPart, ''",
        "StartingTest, namesOnly, ''",
        "StartingTest, runsTheCommand, SERVER NFS_SERVER",
        "StartingTest, runsNoCommand, ''",
        "BeforeEachTest, startsNothingElse, NFS_SERVER SERVER",
        "FieldTest, startsNothingElse, GATEWAY",
        "StaticFieldTest, startsNothingElse, PROVIDER"
    })
    void followsTheCallsOfATest(String className, String method, String started)
            throws IOException {
        var wanted = EnumSet.noneOf(Program.class);
        for (var name : started.split(" ")) {
            if (!name.isEmpty()) {
                wanted.add(Program.valueOf(name));
            }
        }
        assertEquals(Set.of(wanted), code().started(new CoveringTests.Method(className, method)));
    }

    @Test
    void findsEverySubclassOfAContract() throws IOException {
        var test = new CoveringTests.Method("Contract", "callsWhatItsSubclassStarts");
        assertEquals(
                Set.of(EnumSet.of(Program.SERVER), EnumSet.of(Program.GATEWAY)),
                code().started(test));
        assertEquals(Proof.ENDPOINT, proofs().of(rule("MUST", "responder"), test));
        assertEquals(Proof.GATEWAY_ALONE, proofs().of(rule("MUST", "requester"), test));
    }

    @ParameterizedTest
    @CsvSource({
        "responder, SERVER, ENDPOINT",
        "server, SERVER, ENDPOINT",
        "responder, CLIENT, COMPONENT",
        "requester, CLIENT, ENDPOINT",
        "client, SERVER, COMPONENT",
        "both, SERVER, ENDPOINT",
        "sender, CLIENT, ENDPOINT",
        "receiver, PROVIDER, COMPONENT",
        "provider, PROVIDER, ENDPOINT",
        "NFS server, SERVER, COMPONENT",
        "NFS server, NFS_SERVER, COMPONENT",
        "NFS server, SERVER NFS_SERVER, ENDPOINT",
        "NFS server, SERVER NFS_SERVER GATEWAY, GATEWAY_ALONE",
        "NFS client, SERVER NFS_SERVER, COMPONENT",
        "NFS client, CLIENT NFS_CLIENT, ENDPOINT"
    })
    void theProgramHasToBeTheOneThatTheRuleIsAbout(String who, String started, Proof proof) {
        var programs = EnumSet.noneOf(Program.class);
        for (var name : started.split(" ")) {
            programs.add(Program.valueOf(name));
        }
        assertEquals(proof, Proof.of(rule("MUST", who), programs));
    }

    @Test
    void aRuleThatBindsNeedsAnEndpoint() throws IOException {
        var must = ledger("8166-1-1\t1\tMUST\tresponder\tDo.\timplemented");
        var endpoint = covering("StartingTest", "startsItself");
        var component = covering("StartingTest", "usesAPart");
        assertEquals(List.of(), proofs().problems(must, endpoint));
        var missing = proofs().problems(must, component);
        assertTrue(
                missing.getFirst().contains("no test of it starts that program"),
                missing::toString);
        var may = ledger("8166-1-1\t1\tMAY\tresponder\tDo.\timplemented");
        assertEquals(List.of(), proofs().problems(may, component));
    }

    /**
     * Goal: a method of the product that was renamed does not make proofs vanish, or tests blind.
     */
    @Test
    void everyProgramHasItsStarts() throws IOException {
        var product = new TestCode("none/");
        for (var module :
                List.of("iwarp", "rpc-rdma", "nfs-server", "nfs-client", "gateway", "cli")) {
            product.add(ProjectTree.ROOT.resolve(module).resolve("target/classes"));
        }
        for (var program : Program.values()) {
            for (var start : program.starts) {
                int dot = start.indexOf('.');
                var owner = "io/github/rpcrdma4j/" + start.substring(0, dot);
                assertTrue(
                        product.methodsOf(owner).stream()
                                .anyMatch(key -> key.name().equals(start.substring(dot + 1))),
                        start);
            }
        }
        assertTrue(product.has("io/github/rpcrdma4j/" + Program.COMMAND));
    }
}
