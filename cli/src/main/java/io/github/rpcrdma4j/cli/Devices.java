package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.connect.ProviderOptions;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.rdmacore.Adapter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the RDMA adapters of this machine. */
@Command(
        name = "devices",
        description = {
            "List the RDMA adapters of this machine, and which one routes to an address.",
            "It needs the libraries of rdma-core; docs/adapters.md says how to set up adapters."
        },
        footer = {"", "Example: rpcrdma devices server"})
final class Devices implements Callable<Integer> {
    @Parameters(
            paramLabel = "HOST[:PORT]",
            arity = "0..1",
            description = "Also print which adapter routes to this address.")
    private String address;

    @Option(names = "--json", description = "Print JSON objects, one on a line.")
    private boolean json;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        var missing = Adapter.missing();
        if (missing.isPresent()) {
            throw new IOException(missing.get());
        }
        var out = spec.commandLine().getOut();
        var adapters = Adapter.all();
        adapters.forEach(adapter -> print(out, adapter));
        if (adapters.isEmpty() && !json) {
            Adapter.unusable().ifPresent(out::println);
        }
        if (address != null) {
            printRoute(out);
        }
        return CommandLine.ExitCode.OK;
    }

    private void printRoute(PrintWriter out) throws IOException {
        var url = NfsUrl.parse(NfsUrl.isUrl(address) ? address : "rdma://" + address);
        var route = Adapter.routeTo(ProviderOptions.resolved(url.address()));
        if (json) {
            var fields = new LinkedHashMap<String, Object>();
            fields.put("address", address);
            fields.put("adapter", route.orElse(""));
            out.println(Json.of(fields));
        } else {
            out.printf(
                    "%s: %s%n",
                    address,
                    route.map(name -> "through " + name)
                            .orElse("no adapter routes to it; --provider auto uses soft-iWARP"));
        }
    }

    private void print(PrintWriter out, Adapter adapter) {
        if (json) {
            out.println(Json.of(fields(adapter)));
            return;
        }
        out.printf(
                "%s: %s, firmware %s%n", adapter.name(), adapter.transport(), adapter.firmware());
        out.printf(
                "  windows: %s%n",
                adapter.hasWindows()
                        ? "memory windows of type 2, which peers may invalidate"
                        : "registrations, which only this side ends");
        out.printf(
                "  limits: %d elements, %d requests, %d RDMA Reads in, %d out, %s of private data%n",
                adapter.gatherMax(),
                adapter.queueMax(),
                adapter.readsInMax(),
                adapter.readsOutMax(),
                Count.words(adapter.requestDataMax(), "byte"));
        for (var port : adapter.ports()) {
            out.printf(
                    "  port %d: %s, %s, MTU %d%n",
                    port.number(), port.state(), port.link(), port.mtu());
            port.gids().forEach(gid -> out.printf("    GID %s%n", gid));
        }
    }

    private static Map<String, Object> fields(Adapter adapter) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", adapter.name());
        fields.put("transport", adapter.transport());
        fields.put("firmware", adapter.firmware());
        fields.put("windows", adapter.hasWindows());
        fields.put("gatherMax", adapter.gatherMax());
        fields.put("queueMax", adapter.queueMax());
        fields.put("readsInMax", adapter.readsInMax());
        fields.put("readsOutMax", adapter.readsOutMax());
        fields.put("requestDataMax", adapter.requestDataMax());
        for (var port : adapter.ports()) {
            fields.put("port" + port.number(), port.state());
            fields.put("link" + port.number(), port.link());
            fields.put("mtu" + port.number(), port.mtu());
            fields.put("gids" + port.number(), String.join(" ", port.gids()));
        }
        return fields;
    }
}
