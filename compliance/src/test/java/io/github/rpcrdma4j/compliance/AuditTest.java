package io.github.rpcrdma4j.compliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: the audit notices every removed citation, removed test and failed test. Method: a small
 * project without problems, and every change that the audit has to notice.
 */
class AuditTest {
    private static final String CODE =
            """
            /** Obeys RFC 9-not-a-rule, and the message of the codec (RFC 8166-4.2.1-1). */
            final class Codec {
                // RFC 8166-4.5-2,
                // 8166-4.5-3: in silence.
                void decode() {}
            }
            """;

    private static final String TESTS =
            """
            class CodecTest extends Contract {
                @ParameterizedTest
                @ValueSource(
                        strings = {
                            "one", "two"
                        })
                @Tag("8166-4.2.1-1")
                @Tag("8166-4.5-2")
                void decodes(String name) throws Exception {
                }

                @Test
                void staysAlone() {}
            }
            """;

    private static final String CONTRACT =
            """
            abstract class Contract {
                @Test
                @Tag("8166-4.5-3")
                void discards() {}

                @Test
                @Tag("8166-4.5-4")
                void talks() {}
            }
            """;

    private static final String REPORT =
            """
            <testsuite>
              <testcase name="decodes(String)[1]" classname="a.CodecTest"/>
              <testcase name="decodes(String)[2]" classname="a.CodecTest"/>
              <testcase name="discards" classname="a.CodecTest"/>
              <testcase name="talks" classname="a.CodecTest"/>
              <testcase name="staysAlone" classname="a.CodecTest"/>
            </testsuite>
            """;

    private static final Proofs PROOFS = new Proofs(new TestCode("none/"));

    private final Map<String, List<String>> ledgers = new TreeMap<>();
    private String code = CODE;
    private String tests = TESTS;
    private String contract = CONTRACT;
    private String report = REPORT;

    AuditTest() {
        rows(
                "8166-4.2.1-1\t4.2.1\tSHOULD\tsender\tXIDs agree.\timplemented",
                "8166-4.5-2\t4.5\tSHOULD NOT\treceiver\tLies.\timplemented",
                "8166-4.5-3\t4.5\tSHOULD\treceiver\tSilence.\timplemented",
                "8166-4.5-4\t4.5\tDESCRIBED\treceiver\tTalk.\timplemented",
                "8166-4.5-5\t4.5\tMUST\treceiver\tFly.\texception: no wings",
                "8166-4.5-6\t4.5\tREQUIRED\treceiver\tTurn round.\tplanned: reverse");
    }

    private void rows(String... rows) {
        var all = new ArrayList<>(List.of(Ledger.TITLES));
        all.addAll(List.of(rows));
        ledgers.put("8166", all);
    }

    private void changeRow(String from, String to) {
        ledgers.replaceAll((_, rows) -> rows.stream().map(row -> row.replace(from, to)).toList());
    }

    private Citations citations() {
        var citations = new Citations();
        citations.scan("Codec", code);
        return citations;
    }

    private CoveringTests coveringTests() {
        var covering = new CoveringTests();
        covering.scan("CodecTest", tests);
        covering.scan("Contract", contract);
        return covering;
    }

    private List<String> problems() throws IOException {
        var audit =
                new Audit(
                        Ledger.of(ledgers),
                        citations(),
                        coveringTests(),
                        PROOFS,
                        Set.of("reverse"));
        var results = new TestResults();
        results.read(new ByteArrayInputStream(report.getBytes(StandardCharsets.UTF_8)));
        var all = new ArrayList<>(audit.problems());
        all.addAll(audit.problems(results));
        return all;
    }

    private void notices(String... wanted) throws IOException {
        assertEquals(List.of(wanted), problems());
    }

    @Test
    void findsNoProblemInAConsistentProject() throws IOException {
        notices();
    }

    @Test
    void noticesACitationThatIsGone() throws IOException {
        code = CODE.replace("8166-4.5-3", "");
        notices("8166-4.5-3 is implemented, but no code cites it");
    }

    @Test
    void takesNoStringForACitation() throws IOException {
        code = CODE.replace("// RFC 8166-4.5-2,", "var x = \"RFC 8166-4.5-2\"; //");
        notices(
                "8166-4.5-2 is implemented, but no code cites it",
                "8166-4.5-3 is implemented, but no code cites it");
    }

    @Test
    void noticesACoveringTestThatIsGone() throws IOException {
        tests = TESTS.replace("    @Tag(\"8166-4.5-2\")\n", "");
        notices(
                "8166-4.5-2 is implemented, but no test covers it",
                "8166-4.5-2 is implemented, but no test of its component passed");
    }

    /** A description without a key word needs a test, but no citation. */
    @Test
    void noticesADescriptionThatNoTestCovers() throws IOException {
        contract = CONTRACT.replace("    @Tag(\"8166-4.5-4\")\n", "");
        notices(
                "8166-4.5-4 is implemented, but no test covers it",
                "8166-4.5-4 is implemented, but no test of its component passed");
    }

    @Test
    void noticesACoveringTestThatFailedInOneOfItsRuns() throws IOException {
        report =
                REPORT.replace(
                        "[2]\" classname=\"a.CodecTest\"/>",
                        "[2]\" classname=\"a.CodecTest\"><failure/></testcase>");
        notices(
                "8166-4.2.1-1 is covered by CodecTest.decodes, which failed",
                "8166-4.2.1-1 is implemented, but no test of its component passed",
                "8166-4.5-2 is covered by CodecTest.decodes, which failed",
                "8166-4.5-2 is implemented, but no test of its component passed");
    }

    @Test
    void noticesACoveringTestThatWasSkipped() throws IOException {
        report =
                REPORT.replace(
                        "discards\" classname=\"a.CodecTest\"/>",
                        "discards\" classname=\"a.CodecTest\"><skipped/></testcase>");
        notices("8166-4.5-3 is implemented, but no test of its component passed");
    }

    @Test
    void noticesACoveringTestThatDidNotRun() throws IOException {
        report = REPORT.replace("discards", "renamed");
        notices(
                "8166-4.5-3 is covered by Contract.discards, which did not run",
                "8166-4.5-3 is implemented, but no test of its component passed");
    }

    @Test
    void noticesAContractThatNoTestInherits() throws IOException {
        tests = TESTS.replace(" extends Contract", "");
        notices(
                "8166-4.5-3 is covered by Contract.discards, which did not run",
                "8166-4.5-3 is implemented, but no test of its component passed",
                "8166-4.5-4 is covered by Contract.talks, which did not run",
                "8166-4.5-4 is implemented, but no test of its component passed");
    }

    @Test
    void findsRulesOfDraftsByTheirNames() {
        var citations = new Citations();
        citations.scan("Codec", "/** Places (RTR-7.2-4, RPR-X-1), E12, V2-E05 and X-1-2. */");
        assertEquals(Set.of("RTR-7.2-4", "RPR-X-1"), citations.ids());
        assertEquals("RTR", Rule.title("RTR"));
        assertEquals("RFC 8166", Rule.title("8166"));
    }

    @Test
    void noticesRulesThatNoLedgerHas() throws IOException {
        code = CODE.replace("8166-4.5-3", "8166-4.5-3, 8166-4.6-1");
        tests = TESTS.replace("@Test\n", "@Test\n    @Tag(\"slow\")\n");
        notices(
                "[Codec] cite 8166-4.6-1, which no ledger has",
                "[CodecTest.staysAlone] cover slow, which no ledger has");
    }

    @Test
    void noticesAnUnknownStatus() throws IOException {
        changeRow("exception: no wings", "to be done");
        notices("8166-4.5-5: \"to be done\" is no status");
        changeRow("to be done", "exception: ");
        notices("8166-4.5-5: \"exception: \" is no status");
    }

    @Test
    void noticesRowsThatAreMalformed() throws IOException {
        changeRow("\tTalk.", "");
        notices(
                "not six columns: 8166-4.5-4\t4.5\tDESCRIBED\treceiver\timplemented",
                "[Contract.talks] cover 8166-4.5-4, which no ledger has");
        rows("8166-4.5-4\t4.6\tDESCRIBED\treceiver\tTalk.\timplemented");
        assertTrue(problems().contains("8166-4.5-4: not an id of section 4.6"));
        rows("8166-4.5-4\t4.5\tCAN\treceiver\tTalk.\timplemented");
        assertTrue(problems().contains("8166-4.5-4: CAN is no level"));
        var row = "8166-4.5-4\t4.5\tDESCRIBED\treceiver\tTalk.\timplemented";
        rows(row, row);
        assertTrue(problems().contains("8166-4.5-4: there are two rows"));
        ledgers.put("8166", List.of(row));
        assertTrue(problems().contains("the ledger of 8166 does not start with its titles"));
    }

    @Test
    void noticesWhatIsPlannedForNothingOrIsThereAlready() throws IOException {
        changeRow("planned: reverse", "planned: some day");
        notices(
                "8166-4.5-6 is planned for \"some day\", which is not",
                "no rule waits for \"reverse\": it is planned no more");
        changeRow("planned: some day", "planned: reverse");
        tests = TESTS.replace("@Test\n", "@Test\n    @Tag(\"8166-4.5-6\")\n");
        notices("8166-4.5-6 is planned, but CodecTest.staysAlone covers it");
    }

    @Test
    void noticesTestsOfAnException() throws IOException {
        tests = TESTS.replace("@Test\n", "@Test\n    @Tag(\"8166-4.5-5\")\n");
        notices("8166-4.5-5 is an exception, but tests cover it");
    }

    @Test
    void refusesRulesOnClasses() throws IOException {
        tests = "@Tag(\"8166-4.5-2\")\n" + TESTS;
        notices("CodecTest: a class covers no rules, its tests do");
    }

    @Test
    void refusesRulesOnOtherMembers() throws IOException {
        var field = "    @Tag(\"8166-4.5-2\")\n    private int count;\n\n";
        tests = TESTS.replace("    @ParameterizedTest\n", field + "    @ParameterizedTest\n");
        notices("CodecTest: no test follows [8166-4.5-2]");
        tests = TESTS.substring(0, TESTS.lastIndexOf('}')) + "    @Tag(\"8166-4.5-2\")\n}\n";
        notices("CodecTest: no test follows [8166-4.5-2]");
    }

    @Test
    void aPageShowsCodeTestsAndReasons() {
        var page = CompliancePage.of(Ledger.of(ledgers), citations(), coveringTests(), PROOFS);
        assertTrue(
                page.contains(
                        "| 8166-4.5-3 | SHOULD | receiver | Silence. | component | Codec | Contract.discards |"));
        assertTrue(page.contains("| 8166-4.5-5 | MUST | receiver | Fly. | no wings |"));
        assertTrue(page.contains("| 8166-4.5-6 | REQUIRED | receiver | Turn round. | reverse |"));
        changeRow("planned: reverse", "planned: reverse; it stands");
        var today = CompliancePage.of(Ledger.of(ledgers), citations(), coveringTests(), PROOFS);
        assertTrue(today.contains("| receiver | Turn round. | reverse; it stands |"));
        assertTrue(
                page.contains(
                        "| RFC 8166 | RPC-over-RDMA version 1 | 0 of 2, 0 % | 3 of 3, 100 % | 1 of 1, 100 % | 1, 1 of them bind |"));
        code = CODE + CODE.lines().filter(line -> line.contains("//")).findFirst().orElseThrow();
        var twice = CompliancePage.of(Ledger.of(ledgers), citations(), coveringTests(), PROOFS);
        assertTrue(
                twice.contains(
                        "| 8166-4.5-2 | SHOULD NOT | receiver | Lies. | component | Codec ×2 |"));
        code = CODE.replace("8166-4.5-3", "");
        assertFalse(
                page.equals(
                        CompliancePage.of(
                                Ledger.of(ledgers), citations(), coveringTests(), PROOFS)));
    }
}
