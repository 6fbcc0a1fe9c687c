package io.github.rpcrdma4j.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Writes what packages say about the commands: manual pages, and completions for shells. */
final class CommandPages {
    private CommandPages() {}

    /**
     * Writes {@code man1/*.1}, {@code man5/serve.toml.5}, {@code rpcrdma.bash} for bash and {@code
     * _rpcrdma} for zsh.
     *
     * @param args the directory, which need not exist
     */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]));
    }

    static void write(Path directory) throws IOException {
        var root = Rpcrdma.commandLine();
        var pages = Files.createDirectories(directory.resolve("man1"));
        for (var command :
                Stream.concat(Stream.of(root), root.getSubcommands().values().stream()).toList()) {
            Files.writeString(
                    pages.resolve(ManualPage.file(command.getCommandSpec())),
                    ManualPage.of(command));
        }
        Files.writeString(
                Files.createDirectories(directory.resolve("man5")).resolve(ConfigPage.NAME + ".5"),
                ConfigPage.of(root.getSubcommands().get("serve").getCommandSpec()));
        Files.writeString(
                directory.resolve(root.getCommandName() + ".bash"), BashCompletion.of(root));
        Files.writeString(directory.resolve("_" + root.getCommandName()), ZshCompletion.of(root));
    }
}
