package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.KeptAnswers;
import io.github.rpcrdma4j.cli.service.ServerLife;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.StandardOutput;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Serves directories until the process is interrupted. */
@Command(
        name = "serve",
        description = "Serve directories over NFS versions 3 and 4 on RPC-over-RDMA.",
        footer = {
            "",
            "A directory is exported under its own name; DIRECTORY=/NAME gives it another.",
            "mem: is an empty directory in memory, exported as /mem.",
            "",
            "Example: rpcrdma serve /srv/data",
            "For a network: rpcrdma serve /srv/data --allow 192.0.2.0/24,no_root_squash --allow"
                    + " any,ro --tcp :2049",
            "With Kerberos: rpcrdma serve /srv/data --sec krb5p,krb5i --keytab FILE --principal"
                    + " nfs/HOST",
            "By a file: rpcrdma serve --config /etc/rpcrdma4j/serve.toml"
        })
public final class Serve implements Callable<Integer> {
    /** The options that say something about one run, beside a file with all others. */
    private static final Set<String> ALONE = Set.of("--config", "--check", "--debug");

    @Option(
            names = "--config",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description =
                    "Take all that is served, and every option, from this file. SIGHUP and rpcrdma"
                            + " reload have it read again.")
    private Path config;

    @Option(
            names = "--check",
            description =
                    "With --config: print what would be served, or every mistake, and serve"
                            + " nothing.")
    private boolean check;

    @Mixin private final ServeOptions options = new ServeOptions();

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        KeptAnswers.forget();
        if (config != null) {
            return serveByFile();
        }
        if (check) {
            throw new IllegalArgumentException("--check is about a file: --config FILE --check");
        }
        if (!options.directories.areGiven()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "Missing required parameter: 'DIRECTORY'");
        }
        return serve(options, Optional.empty());
    }

    private int serveByFile() throws Exception {
        var command = spec.commandLine();
        requireAlone(command.getParseResult());
        try {
            if (check) {
                ServerConfig.check(config, command);
                return CommandLine.ExitCode.OK;
            }
            var read = ServerConfig.read(config, command);
            return serve(read.options(), Optional.of(read));
        } catch (ConfigMistakes.Wrong wrong) {
            wrong.lines().forEach(each -> command.getErr().println("rpcrdma: " + each));
            return !check && wrong.isOfFile()
                    ? CommandLine.ExitCode.USAGE
                    : CommandLine.ExitCode.SOFTWARE;
        }
    }

    /** Options come from the file or from the command line, so that no order decides. */
    private static void requireAlone(CommandLine.ParseResult parsed) {
        var others =
                parsed.matchedOptions().stream()
                        .map(OptionSpec::longestName)
                        .filter(each -> !ALONE.contains(each))
                        .findFirst();
        if (others.isPresent() || !parsed.matchedPositionals().isEmpty()) {
            throw new IllegalArgumentException(
                    "with --config, everything is in the file: leave out "
                            + others.orElse("the directories"));
        }
    }

    private int serve(ServeOptions chosen, Optional<ServerConfig> file) throws Exception {
        var command = spec.commandLine();
        var life = new ServerLife();
        life.begin();
        try {
            var serving = new Serving(chosen, file, command, life);
            return chosen.log.during(
                    () -> {
                        serving.serve();
                        return CommandLine.ExitCode.OK;
                    });
        } catch (StandardOutput.Failed unwritten) {
            throw unwritten;
        } catch (UncheckedIOException unclean) {
            // The process may end before anything else prints it.
            var err = command.getErr();
            err.println("rpcrdma: " + Printable.line(unclean.getMessage()));
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        } finally {
            life.cleanedUp();
        }
    }
}
