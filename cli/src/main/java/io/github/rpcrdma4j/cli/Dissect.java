package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.dissect.Dissection;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.dissect.JsonForm;
import io.github.rpcrdma4j.dissect.MessageDissector;
import io.github.rpcrdma4j.dissect.TextForm;
import io.github.rpcrdma4j.dissect.Version1Document;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Dissects captured traffic. */
@Command(
        name = "dissect",
        description = {
            "Show what a capture holds of RPC-over-RDMA on iWARP.",
            "The capture is pcap or pcapng. Shown are every layer of every frame, every",
            "call with its chunks and the RDMA operations that moved them, and what is",
            "wrong, with the rule that it breaks and what its receiver owes."
        },
        footer = {
            "",
            "With --hex and --layer: the same for the bytes of one message.",
            "",
            "Example: rpcrdma dissect capture.pcap"
        })
final class Dissect implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "A capture; - is standard input.")
    private String file;

    @Option(names = "--json", description = "Print a JSON object; docs/dissect.md has its fields.")
    private boolean json;

    @Option(names = "--calls", description = "Leave out the frames.")
    private boolean callsOnly;

    @Option(
            names = "--connection",
            paramLabel = "N",
            description = "Only the TCP connection of that number.")
    private Integer connection;

    @Option(
            names = "--rfc5666",
            description =
                    "Judge messages by RFC 5666, for peers that both keep to it: RDMA_MSGP,"
                            + " results that the client reads, RDMA_DONE.")
    private boolean rfc5666;

    @Option(names = "--hex", paramLabel = "BYTES", description = "Bytes in hexadecimal.")
    private String hex;

    @Option(
            names = "--layer",
            paramLabel = "LAYER",
            description = "What those bytes start with: mpa, fpdu, rpcrdma or rpcrdma2.")
    private String layer;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if ((file == null) == (hex == null) || (hex == null) != (layer == null)) {
            throw new IllegalArgumentException(
                    "dissect takes either a FILE, or --hex with --layer");
        }
        if (hex != null) {
            message();
        } else {
            capture(dissection());
        }
        return CommandLine.ExitCode.OK;
    }

    private void message() {
        var out = spec.commandLine().getOut();
        var frames = MessageDissector.dissect(start(), bytes(), document());
        if (json) {
            out.println(Json.of(JsonForm.of(frames)));
        } else {
            frames.forEach(frame -> TextForm.write(frame, out::println));
        }
    }

    private Version1Document document() {
        return rfc5666 ? Version1Document.RFC_5666 : Version1Document.RFC_8166;
    }

    private MessageDissector.Start start() {
        try {
            return MessageDissector.Start.valueOf(layer.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(
                    "--layer is mpa, fpdu, rpcrdma or rpcrdma2, not " + layer);
        }
    }

    private byte[] bytes() {
        try {
            return HexFormat.of().parseHex(hex.replaceAll("[\\s:]", "").replaceFirst("^0x", ""));
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException("--hex takes pairs of hexadecimal digits");
        }
    }

    private Dissection dissection() throws IOException {
        try (var in = open()) {
            var packets = PacketReader.of(in);
            if (packets instanceof PacketReader.Unknown) {
                throw new IOException(file + " is neither a pcap nor a pcapng file");
            }
            return Dissector.dissect(packets, !callsOnly, document());
        }
    }

    private InputStream open() throws IOException {
        return file.equals("-") ? System.in : Files.newInputStream(RawArguments.file(file));
    }

    private void capture(Dissection dissection) {
        var out = spec.commandLine().getOut();
        var wanted = connection == null ? dissection : dissection.only(connection);
        if (json) {
            out.println(Json.of(JsonForm.of(wanted, !callsOnly)));
        } else {
            TextForm.write(wanted, out::println);
        }
        out.flush();
    }
}
