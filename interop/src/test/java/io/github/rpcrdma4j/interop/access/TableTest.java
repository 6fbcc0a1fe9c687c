package io.github.rpcrdma4j.interop.access;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Goal: the table is complete, and the golden table has all its cases. Method: check all cases. */
class TableTest {
    private static final int CASES_MIN = 500;

    private final Table table = new Table();

    private static Nfs3Call<?, ?> call(Case of, Operation operation) {
        var paths = of.files().stream().map(CaseFile::path).collect(Collectors.toSet());
        return operation
                .build()
                .from(
                        path -> {
                            assertTrue(paths.contains(path), () -> of.id() + " has no " + path);
                            return new FileHandle(new byte[] {1});
                        });
    }

    @Test
    void hasCasesOfEveryProcedureAndExport() {
        assertTrue(table.cases().size() >= CASES_MIN, () -> "only " + table.cases().size());
        var procedures = EnumSet.of(Procedure.NULL);
        var exports = EnumSet.noneOf(Exported.class);
        for (var each : table.cases()) {
            if (each.request() instanceof Operation operation) {
                procedures.add(call(each, operation).procedure());
            }
            exports.add(each.export());
        }
        assertEquals(EnumSet.allOf(Procedure.class), procedures);
        assertEquals(EnumSet.allOf(Exported.class), exports);
    }

    @Test
    void hasCasesOfEveryOperationOfVersion4OnAFile() {
        var opcodes = EnumSet.noneOf(Opcode.class);
        int count = 0;
        for (var each : table.cases()) {
            if (each.request() instanceof Compounds compounds) {
                opcodes.addAll(Operations4.of(each, compounds));
                count++;
            }
        }
        int found = count;
        assertTrue(found >= CASES_MIN, () -> "only " + found);
        assertEquals(Operations4.ON_FILES, opcodes);
    }

    @Test
    void makesEveryDirectoryBeforeWhatIsInIt() {
        for (var each : table.cases()) {
            Set<String> directories = new HashSet<>();
            assertEquals(".", each.files().getFirst().path(), each::id);
            for (var file : each.files()) {
                int slash = file.path().lastIndexOf('/');
                assertTrue(
                        slash < 0 || directories.contains(file.path().substring(0, slash)),
                        each::id);
                assertTrue(
                        directories.add(file.path()), () -> each.id() + ": twice " + file.path());
            }
        }
    }

    @Test
    void takesNoTwoCasesOfOneId() {
        var cases = new Cases().group("group");
        cases.add("words", Caller.OWNER, Operation.getattr("f"), CaseFile.file(0));
        cases.add("words", Caller.OTHER, Operation.getattr("f"), CaseFile.file(0));
        cases.add(
                "words",
                Exported.READ_ONLY,
                Caller.OTHER,
                Operation.getattr("f"),
                CaseFile.file(0));
        assertEquals(
                List.of("group/words/owner", "group/words/other", "group/words/fixed/other"),
                cases.all().stream().map(Case::id).toList());
        assertThrows(
                IllegalArgumentException.class,
                () -> cases.add("words", Caller.OTHER, Operation.getattr("f"), CaseFile.file(0)));
    }

    @Test
    void hasAGoldenOutcomeForEachOfItsCases() {
        var golden =
                GoldenTable.ofLinux().outcomes().stream()
                        .filter(each -> !each.id().startsWith(Fill.GROUP))
                        .map(each -> each.id() + " | " + each.words())
                        .toList();
        assertEquals(table.lines(), golden);
        assertTrue(
                GoldenTable.ofLinux().notes().getFirst().startsWith("Linux "),
                "the golden table names its kernel");
    }

    @Test
    void acceptsOnlyWhatIsOfTheTableAndNotTheKernels() {
        var golden = GoldenTable.ofLinux().outcomes();
        var accepted = GoldenTable.ofAccepted();
        assertFalse(accepted.notes().isEmpty(), "every group of them has its reason");
        assertDoesNotThrow(() -> GoldenTable.replaced(golden, accepted.outcomes()));
    }

    @Test
    void findsCasesByTextInTheirIds() {
        assertEquals(
                Set.of("names"),
                table.only("names/create").cases().stream()
                        .map(Case::group)
                        .collect(Collectors.toSet()));
    }
}
