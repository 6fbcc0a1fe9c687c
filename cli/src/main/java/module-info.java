/** The command {@code rpcrdma}: serves, copies, lists, measures and dissects. */
@SuppressWarnings("requires-automatic")
module io.github.rpcrdma4j.cli {
    // Jimfs has no module descriptor that would require Guava.
    requires com.google.common;
    requires com.google.common.jimfs;
    requires info.picocli;
    requires io.github.rpcrdma4j.dissect;
    requires io.github.rpcrdma4j.gateway;
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.linux;
    requires io.github.rpcrdma4j.rdmacore;
    requires io.github.rpcrdma4j.rpcrdma.rfc5666;
    requires io.github.rpcrdma4j.rpcrdma.v2;
    requires io.github.rpcrdma4j.nfs.client;
    requires io.github.rpcrdma4j.nfs.server;
    requires io.prometheus.metrics.model;
    requires io.prometheus.writer.text;
    requires jdk.management;
    requires jdk.unsupported;
    requires me.tongfei.progressbar;
    requires org.tomlj;

    provides System.LoggerFinder with
            io.github.rpcrdma4j.cli.service.Loggers;

    opens io.github.rpcrdma4j.cli to
            info.picocli;
    opens io.github.rpcrdma4j.cli.admin to
            info.picocli;
    opens io.github.rpcrdma4j.cli.connect to
            info.picocli;
    opens io.github.rpcrdma4j.cli.files to
            info.picocli;
    opens io.github.rpcrdma4j.cli.gateway to
            info.picocli;
    opens io.github.rpcrdma4j.cli.metrics to
            info.picocli;
    opens io.github.rpcrdma4j.cli.serve to
            info.picocli;
    opens io.github.rpcrdma4j.cli.service to
            info.picocli;
    opens io.github.rpcrdma4j.cli.terminal to
            info.picocli;
}
