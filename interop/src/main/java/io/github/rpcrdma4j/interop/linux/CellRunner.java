package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Makes the checks of cells, in this process and its network namespace. */
record CellRunner(RunDirectories directories, PrintWriter progress) {
    /**
     * Makes all checks of a cell.
     *
     * @param quick whether to make only the short checks
     */
    List<Outcome> run(Cell cell, boolean quick) throws IOException, InterruptedException {
        var run = new CellRun(directories, cell, progress);
        if (cell.variant().needsLink() && !Network.hasLink()) {
            run.checkOnHost(
                    Check.GUEST,
                    findings ->
                            findings.fail(
                                    "no link to the guest: it needs a network namespace and the"
                                            + " right to open /dev/net/tun"));
            return run.outcomes();
        }
        try {
            switch (cell.direction()) {
                case LINUX_CLIENT -> new LinuxClient(run).run(quick);
                case LINUX_CLIENT_4_1 -> new LinuxClient4(run, "4.1").run(quick);
                case LINUX_CLIENT_4_2 -> new LinuxClient4(run, "4.2").run(quick);
                case LINUX_KERBEROS -> new LinuxKerberos(run).run();
                case OUR_CLIENT -> new LinuxServer(run).run(quick);
                case OUR_CLIENT_4 -> new LinuxServer(run).runVersion4(quick);
                case OUR_KERBEROS -> new LinuxServer(run).runKerberos();
                case CHUNK_SHAPES -> new LinuxServer(run).runShapes();
                case GATEWAY_GANESHA -> new GatewayToGanesha(run).run(quick);
                case GATEWAY_KNFSD -> new GatewayToKnfsd(run).run();
                case ADAPTER_SIW -> new SoftAdapter(run, "siw").run(quick);
                case ADAPTER_RXE -> new SoftAdapter(run, "rxe").run(quick);
            }
        } catch (GuestException lost) {
            run.lost(lost);
        } finally {
            run.endGuest();
        }
        if (!cell.direction().isInGuest()) {
            run.checkOnHost(Check.CAPTURE, new CaptureCheck(run)::read);
        }
        return run.outcomes();
    }
}
