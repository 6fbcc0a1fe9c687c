package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.cli.terminal.Section.Heading;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Formats the help page of a command. The command's own options come first; options shared with
 * other commands follow under the {@link Heading} of their {@link Section}.
 */
final class HelpPage {
    private static final String SHARED = "sharedOptions";

    private HelpPage() {}

    /** Gives a command and its subcommands this help page and the standard options. */
    static void prepare(CommandLine root, String version) {
        addStandard(root, version);
        var renderers = root.getHelpSectionMap();
        renderers.put(
                UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> text(help, Heading.OPTIONS));
        renderers.put(SHARED, HelpPage::shared);
        renderers.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, Subcommands::list);
        var keys = new ArrayList<>(root.getHelpSectionKeys());
        keys.remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
        keys.add(SHARED);
        // The setters apply to subcommands as well.
        root.setHelpSectionMap(renderers).setHelpSectionKeys(keys);
    }

    private static void addStandard(CommandLine command, String version) {
        addStandard(command.getCommandSpec());
        command.getCommandSpec()
                .version(version)
                .usageMessage()
                .abbreviateSynopsis(true)
                .parameterListHeading("%n");
        command.getSubcommands().values().forEach(each -> addStandard(each, version));
    }

    /**
     * Adds the standard options. A command may use {@code -h} or {@code -V} for something else, but
     * not the long names.
     */
    private static void addStandard(CommandSpec spec) {
        spec.addOption(
                OptionSpec.builder(names(spec, "-h", "--help"))
                        .usageHelp(true)
                        .description("Show this help message and exit.")
                        .build());
        spec.addOption(
                OptionSpec.builder(names(spec, "-V", "--version"))
                        .versionHelp(true)
                        .description("Print version information and exit.")
                        .build());
    }

    private static String[] names(CommandSpec spec, String letter, String word) {
        return spec.findOption(letter) == null ? new String[] {letter, word} : new String[] {word};
    }

    private static String shared(Help help) {
        return Arrays.stream(Heading.values())
                .filter(heading -> heading != Heading.OPTIONS)
                .map(heading -> text(help, heading))
                .collect(Collectors.joining());
    }

    private static String text(Help help, Heading heading) {
        var options = options(help.commandSpec(), heading);
        if (options.isEmpty()) {
            return "";
        }
        var layout = help.createDefaultLayout(options, List.of(), help.colorScheme());
        layout.addOptions(options, help.parameterLabelRenderer());
        return "%n%s:%n%s".formatted(heading, layout);
    }

    /** Returns the visible options under a heading, in the order of a help page. */
    static List<OptionSpec> options(CommandSpec spec, Heading heading) {
        return spec.options().stream()
                .filter(option -> !option.hidden() && heading(option) == heading)
                .sorted(Help.createShortOptionNameComparator())
                .toList();
    }

    private static Heading heading(OptionSpec option) {
        if (option.usageHelp() || option.versionHelp()) {
            return Heading.EVERY_COMMAND;
        }
        if (!(option.userObject() instanceof Field field)) {
            return Heading.OPTIONS;
        }
        var section = field.getAnnotation(Section.class);
        if (section == null) {
            section = field.getDeclaringClass().getAnnotation(Section.class);
        }
        return section == null ? Heading.OPTIONS : section.value();
    }
}
