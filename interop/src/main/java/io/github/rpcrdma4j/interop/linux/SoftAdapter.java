package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The checks of a cell in which our server and our client run in the guest, on a soft adapter.
 *
 * @param kind the kind of the adapter: {@code siw} or {@code rxe}
 */
record SoftAdapter(CellRun run, String kind) {
    private static final Duration LIMIT = Duration.ofSeconds(900);

    /**
     * Makes the checks of the cell.
     *
     * @param quick whether to make only the short checks
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        var built = run.directories().home().resolve("cli/target");
        var shared = run.directories().shared(run.cell());
        var runtime = Files.createDirectories(shared.resolve("lib/runtime"));
        RunDirectories.copy(built.resolve("runtime"), runtime);
        Files.copy(built.resolve("cli.jar"), shared.resolve("lib/cli.jar"));
        run.boot(Map.of(), Map.of("jdk", Path.of(System.getProperty("java.home"))));
        run.script(
                Check.ADAPTER,
                _ -> {},
                LIMIT,
                "adapters/commands.sh",
                kind,
                quick ? "quick" : "all");
        run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
    }
}
