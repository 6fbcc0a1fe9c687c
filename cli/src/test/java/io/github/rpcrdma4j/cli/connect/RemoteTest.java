package io.github.rpcrdma4j.cli.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Goal: a lost connection is reported where the command prints, and breaks no progress bar. */
class RemoteTest {
    @CommandLine.Command
    private static final class Shell {
        @CommandLine.Mixin private final Remote remote = new Remote();
    }

    @Test
    void reportsALostConnectionWhereTheCommandPrints() {
        var shell = new Shell();
        var err = new StringWriter();
        new CommandLine(shell).setErr(new PrintWriter(err, true));
        var lost = new RpcException.ConnectionLost("the peer is gone", null);
        shell.remote.reportLost(lost);
        assertEquals("reconnecting: the peer is gone" + System.lineSeparator(), err.toString());

        var lines = new ArrayList<String>();
        shell.remote.setNoticePrinter(lines::add);
        shell.remote.reportLost(lost);
        assertEquals(List.of("reconnecting: the peer is gone"), lines);
    }
}
