package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.serve.ConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Goal: the manual pages and the completions know every command and every option. Method: compare
 * them with the commands, and let bash complete words.
 */
class CommandPagesTest {
    private static final Pattern MACRO = Pattern.compile("\\.(TH|SH|TP|PP|B|br)( .*)?");

    @TempDir private static Path pages;

    @BeforeAll
    static void write() throws Exception {
        CommandPages.write(pages);
    }

    private static List<CommandLine> commands() {
        return List.copyOf(Rpcrdma.commandLine().getSubcommands().values());
    }

    /** Goal: an operator finds each option of a server with an explanation. */
    @Test
    void theDocumentationHasEveryOptionOfServe() throws Exception {
        var documentation = section(Files.readString(Path.of("../docs/commands.md")), "Serve");
        var serve = Rpcrdma.commandLine().getSubcommands().get("serve").getCommandSpec();
        var missing =
                serve.options().stream()
                        .filter(each -> !each.hidden() && !each.usageHelp() && !each.versionHelp())
                        .map(CommandLine.Model.OptionSpec::longestName)
                        .filter(
                                each ->
                                        !Pattern.compile("(?<![-\\w])" + each + "(?![-\\w])")
                                                .matcher(documentation)
                                                .find())
                        .toList();
        assertEquals(List.of(), missing);
    }

    /** Returns what is between a heading of the second level and the next one. */
    private static String section(String page, String heading) {
        return Stream.of(page.split("(?m)^## "))
                .filter(each -> each.startsWith(heading + "\n"))
                .findFirst()
                .orElseThrow();
    }

    private static String page(CommandLine command) throws Exception {
        var file = ManualPage.file(command.getCommandSpec());
        return Files.readString(pages.resolve("man1").resolve(file));
    }

    @Test
    void everyCommandHasAPageWithAllOfItsOptions() throws Exception {
        for (var command : commands()) {
            var page = page(command);
            for (var option : command.getCommandSpec().options()) {
                var name = option.longestName().replace("-", "\\-");
                assertTrue(page.contains("\\fB" + name + "\\fR"), () -> option + " in " + page);
            }
        }
    }

    @Test
    void thePageOfAllNamesThePageOfEach() throws Exception {
        var page = page(Rpcrdma.commandLine());
        for (var command : commands()) {
            var name = ManualPage.name(command.getCommandSpec()).replace("-", "\\-");
            assertTrue(page.contains("\\fB" + name + "\\fR(1)"), () -> name + " in " + page);
        }
        assertTrue(page.contains(ConfigPage.NAME), page);
    }

    /** Goal: an author of a unit for systemd learns what the exit codes of serve mean. */
    @Test
    void thePageOfServeSaysHowAWrongConfigFileEndsIt() throws Exception {
        var commands = Rpcrdma.commandLine().getSubcommands();
        var words = "config file with mistakes ends serve with 2";
        assertTrue(page(commands.get("serve")).contains(words));
        assertTrue(!page(commands.get("ls")).contains(words));
    }

    /** Goal: an operator finds each key of the config file, those of exports too. */
    @Test
    void thePageOfTheConfigFileHasEachKeyThatItMayHave() throws Exception {
        var page = Files.readString(pages.resolve("man5").resolve("serve.toml.5"));
        var serve = Rpcrdma.commandLine().getSubcommands().get("serve");
        for (var name : ConfigReader.settings(serve.getCommandSpec()).keySet()) {
            var key = "\n\\fB" + name.replace("-", "\\-") + "\\fR = ";
            assertTrue(page.contains(key), () -> name + " in " + page);
        }
        for (var name : List.of("[export.\"/NAME\"]", "directory", "allow", "delegations")) {
            assertTrue(page.contains("\n\\fB" + name + "\\fR"), () -> name + " in " + page);
        }
        assertTrue(page(serve).contains("\\fBserve.toml\\fR(5)"));
        assertTrue(!page.contains("${"), page);
    }

    @Test
    void onlyMacrosBeginWithADotAndEveryValueIsFilledIn() throws Exception {
        for (var command : commands()) {
            for (var line : page(command).lines().toList()) {
                assertTrue(!line.startsWith("'"), line);
                assertTrue(!line.startsWith(".") || MACRO.matcher(line).matches(), line);
                assertTrue(!line.contains("${"), line);
            }
        }
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        assertEquals(List.of("put"), completed("rpcrdma", "pu"));
        assertEquals(List.of("put"), completed("rpcrdma", "--debug", "pu"));
        assertEquals(List.of("--recursive"), completed("rpcrdma", "put", "--rec"));
        assertEquals(List.of("devices"), completed("rpcrdma", "help", "dev"));
        for (var command : commands()) {
            for (var option : command.getCommandSpec().options()) {
                var name = option.longestName();
                var found = completed("rpcrdma", command.getCommandName(), name);
                assertTrue(found.contains(name) || option.hidden(), () -> option + ": " + found);
            }
        }
    }

    @Test
    void bashCompletesValuesOfAListAndLeavesTheRestToPaths() throws Exception {
        assertEquals(List.of("rdma-core"), completed("rpcrdma", "ls", "--provider", "rd"));
        assertEquals(List.of("rdma-core"), completed("rpcrdma", "ls", "--provider", "=", "rd"));
        assertEquals(
                List.of("2", "3", "4.0", "4.1", "4.2"), completed("rpcrdma", "ls", "--vers", "="));
        assertEquals(List.of("read-chunks"), completed("rpcrdma", "ls", "--extensions", "rea"));
        assertEquals(List.of(""), completed("rpcrdma", "put", "pu"));
        assertEquals(List.of(""), completed("rpcrdma", "put", "--provider", "iwarp", "li"));
        assertEquals(List.of(""), completed("rpcrdma", "serve", "--config", "se"));
        assertEquals(List.of("no paths", ""), completed("rpcrdma", "ls", "--deadline", "1"));
    }

    /** Returns how bash completes the last of these words. */
    private static List<String> completed(String... words) throws Exception {
        var script =
                """
                . "$0"; compopt() { echo no paths; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _rpcrdma; printf '%s\\n' "${COMPREPLY[@]}"
                """;
        var command =
                Stream.concat(
                                Stream.of(
                                        "bash",
                                        "--norc",
                                        "-c",
                                        script,
                                        pages.resolve("rpcrdma.bash").toString()),
                                Stream.of(words))
                        .toList();
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var reader = process.inputReader()) {
            return reader.lines().map(String::strip).toList();
        }
    }

    @Test
    void theCompletionForZshNamesEveryOptionOfEveryCommand() throws Exception {
        var text = Files.readString(pages.resolve("_rpcrdma"));
        for (var command : commands()) {
            var start = "      " + command.getCommandName() + ")\n";
            assertTrue(text.contains(start), () -> start + " in " + text);
            var part = text.substring(text.indexOf(start) + start.length()).split(" ;;", 2)[0];
            for (var option : command.getCommandSpec().options()) {
                assertTrue(part.contains("'" + option.longestName()), () -> option + " in " + part);
            }
        }
    }
}
