package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.admin.ClientsCommand;
import io.github.rpcrdma4j.cli.admin.CopiesCommand;
import io.github.rpcrdma4j.cli.admin.DelegationsCommand;
import io.github.rpcrdma4j.cli.admin.LocksCommand;
import io.github.rpcrdma4j.cli.admin.OpensCommand;
import io.github.rpcrdma4j.cli.admin.ReloadCommand;
import io.github.rpcrdma4j.cli.admin.SessionsCommand;
import io.github.rpcrdma4j.cli.admin.TopCommand;
import io.github.rpcrdma4j.cli.connect.Ping;
import io.github.rpcrdma4j.cli.files.Cat;
import io.github.rpcrdma4j.cli.files.Chmod;
import io.github.rpcrdma4j.cli.files.Chown;
import io.github.rpcrdma4j.cli.files.Cp;
import io.github.rpcrdma4j.cli.files.Df;
import io.github.rpcrdma4j.cli.files.Du;
import io.github.rpcrdma4j.cli.files.Find;
import io.github.rpcrdma4j.cli.files.Get;
import io.github.rpcrdma4j.cli.files.Ln;
import io.github.rpcrdma4j.cli.files.Lock;
import io.github.rpcrdma4j.cli.files.Ls;
import io.github.rpcrdma4j.cli.files.Mkdir;
import io.github.rpcrdma4j.cli.files.Mv;
import io.github.rpcrdma4j.cli.files.Put;
import io.github.rpcrdma4j.cli.files.Rm;
import io.github.rpcrdma4j.cli.files.Stat;
import io.github.rpcrdma4j.cli.files.Sync;
import io.github.rpcrdma4j.cli.files.Touch;
import io.github.rpcrdma4j.cli.files.Tree;
import io.github.rpcrdma4j.cli.files.Xattr;
import io.github.rpcrdma4j.cli.gateway.GatewayCommand;
import io.github.rpcrdma4j.cli.serve.Demo;
import io.github.rpcrdma4j.cli.serve.Serve;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;

/**
 * The commands of {@code rpcrdma}, in the order of its help.
 *
 * <p>Tests: {@code CommandLineTest}, {@code CommandPagesTest}.
 */
final class Subcommands {
    private static final int INDENT = 2;

    private static final List<Group> GROUPS =
            List.of(
                    new Group("Try and serve", Demo.class, Serve.class, GatewayCommand.class),
                    new Group(
                            "A server that runs",
                            ReloadCommand.class,
                            TopCommand.class,
                            ClientsCommand.class,
                            SessionsCommand.class,
                            OpensCommand.class,
                            DelegationsCommand.class,
                            LocksCommand.class,
                            CopiesCommand.class),
                    new Group(
                            "Look at files on a server",
                            Ls.class,
                            Tree.class,
                            Stat.class,
                            Cat.class,
                            Find.class,
                            Du.class,
                            Df.class),
                    new Group("Copy files", Get.class, Put.class, Sync.class, Cp.class),
                    new Group(
                            "Change files on a server",
                            Mkdir.class,
                            Rm.class,
                            Mv.class,
                            Ln.class,
                            Touch.class,
                            Chmod.class,
                            Chown.class,
                            Xattr.class,
                            Lock.class),
                    new Group(
                            "Connections and help",
                            Ping.class,
                            Devices.class,
                            Dissect.class,
                            Help.class));

    /**
     * Commands that belong together.
     *
     * @param heading what stands above them in the help
     */
    private record Group(String heading, List<Class<?>> commands) {
        Group(String heading, Class<?>... commands) {
            this(heading, List.of(commands));
        }
    }

    private Subcommands() {}

    private static Stream<Class<?>> all() {
        return GROUPS.stream().flatMap(group -> group.commands().stream());
    }

    /**
     * Adds commands to {@code rpcrdma}: the one that the arguments call, or all if they call none.
     * To find the options of all commands takes longer than most commands.
     *
     * @return {@code rpcrdma}
     */
    static CommandLine add(CommandLine rpcrdma, String... arguments) {
        called(arguments)
                .ifPresentOrElse(
                        rpcrdma::addSubcommand, () -> all().forEach(rpcrdma::addSubcommand));
        return rpcrdma;
    }

    /** Returns the command that is called, if it needs no other one. The help needs all. */
    private static Optional<Class<?>> called(String... arguments) {
        for (var argument : arguments) {
            if (!argument.equals("--debug")) {
                return all().filter(each -> each != Help.class)
                        .filter(each -> nameOf(each).equals(argument))
                        .findFirst();
            }
        }
        return Optional.empty();
    }

    /** Returns the commands with their meanings, each group under its heading. */
    static String list(CommandLine.Help help) {
        var spec = help.commandSpec();
        if (spec.subcommands().isEmpty()) {
            return "";
        }
        int longest = all().mapToInt(each -> nameOf(each).length()).max().orElseThrow();
        int names = longest + 2 * INDENT;
        var text = new StringBuilder();
        for (var group : GROUPS) {
            var table =
                    TextTable.forColumns(
                            help.colorScheme(),
                            new Column(names, INDENT, Column.Overflow.SPAN),
                            new Column(
                                    spec.usageMessage().width() - names,
                                    INDENT,
                                    Column.Overflow.WRAP));
            for (var each : group.commands()) {
                var name = nameOf(each);
                var usage = spec.subcommands().get(name).getCommandSpec().usageMessage();
                table.addRowValues(name, usage.description()[0]);
            }
            text.append("%n%s:%n%s".formatted(group.heading(), table));
        }
        return text.toString();
    }

    private static String nameOf(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }
}
