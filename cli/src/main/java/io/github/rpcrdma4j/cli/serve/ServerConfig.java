package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.terminal.WrongArgument;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/**
 * A config file in which nothing is wrong, and what it stands for.
 *
 * @param options those of the file
 */
record ServerConfig(ConfigFile text, ServeOptions options, List<Export> exports) {
    /**
     * Reads a file, and looks at the directories and hosts that it names.
     *
     * @param command the command {@code serve}
     * @throws ConfigMistakes.Wrong if something is wrong
     */
    static ServerConfig read(Path file, CommandLine command) throws ConfigMistakes.Wrong {
        return read(file, command, false);
    }

    /**
     * Reads a file for a server that is running.
     *
     * @param flavors that its exports have
     * @throws ConfigMistakes.Wrong if something is wrong
     */
    static ServerConfig readAgain(Path file, CommandLine command, List<SecurityFlavor> flavors)
            throws ConfigMistakes.Wrong {
        var read = read(file, command, false);
        return new ServerConfig(
                read.text,
                read.options,
                read.exports.stream().map(each -> with(each, flavors)).toList());
    }

    private static Export with(Export export, List<SecurityFlavor> flavors) {
        return new Export(
                export.name(), export.files(), export.rules(), flavors, export.delegations());
    }

    private static ServerConfig read(Path file, CommandLine command, boolean isCheck)
            throws ConfigMistakes.Wrong {
        var mistakes = new ConfigMistakes(file);
        var text = ConfigReader.read(file, command.getCommandSpec(), mistakes);
        var options = parsed(text, command, mistakes);
        var flavors = options.check(text, mistakes);
        var exports = text.exports(flavors, mistakes);
        if (isCheck) {
            mistakes.check(text.line("keytab"), options::checkKerberos);
        }
        mistakes.requireNone();
        return new ServerConfig(text, options, exports);
    }

    /** Returns the options of the file. */
    private static ServeOptions parsed(
            ConfigFile text, CommandLine command, ConfigMistakes mistakes) {
        var arguments = new ArrayList<>(text.arguments());
        while (true) {
            var options = new ServeOptions();
            var line =
                    new CommandLine(options)
                            .setCaseInsensitiveEnumValuesAllowed(true)
                            .setOut(command.getOut())
                            .setErr(command.getErr());
            try {
                line.parseArgs(arguments.toArray(String[]::new));
                return options;
            } catch (CommandLine.ParameterException wrong) {
                var option = (CommandLine.Model.OptionSpec) wrong.getArgSpec();
                var name = option.longestName();
                mistakes.check(
                        text.line(name.substring(2)),
                        () -> {
                            throw new IllegalArgumentException(WrongArgument.words(wrong), wrong);
                        });
                // The others are looked at without it.
                arguments.removeIf(each -> each.startsWith(name + "="));
            }
        }
    }

    /**
     * Checks a file, and prints what a server would serve by it. Serves nothing, and leaves the
     * state of servers alone.
     *
     * @throws ConfigMistakes.Wrong if something is wrong
     */
    static void check(Path file, CommandLine command) throws ConfigMistakes.Wrong {
        var config = read(file, command, true);
        var mistakes = new ConfigMistakes(file);
        mistakes.check(0, () -> config.describe(command.getOut()));
        mistakes.requireNone();
        command.getOut().println(file + ": nothing is wrong");
    }

    private void describe(PrintWriter out) throws IOException {
        // Without a directory for records, a server keeps nothing.
        try (var nfs =
                new NfsServer(
                        exports, HandleKey.random(), KerberosUsers.NONE, Nfs4Options.DEFAULT)) {
            nfs.descriptions().forEach(each -> Announcement.describe(out, each));
        }
        options.describeAddresses(out);
    }

    /**
     * Returns what is to be served.
     *
     * @throws IOException if the audit cannot be written; the message is one line
     */
    HostSettings settings() throws IOException {
        return options.settings(exports);
    }

    /** Returns the settings that are not those of another file, with their lines there. */
    Map<String, Integer> otherSettings(ConfigFile other) {
        var different = new TreeMap<String, Integer>();
        for (var names : List.of(text.settings().keySet(), other.settings().keySet())) {
            for (var each : names) {
                if (!argument(text, each).equals(argument(other, each))) {
                    different.put(each, other.line(each));
                }
            }
        }
        return different;
    }

    /** A switch that is off is not there. */
    private static Object argument(ConfigFile text, String setting) {
        var found = text.settings().get(setting);
        return found == null ? false : found.argument();
    }
}
