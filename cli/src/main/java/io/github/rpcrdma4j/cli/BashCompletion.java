package io.github.rpcrdma4j.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion of a command and its subcommands for bash, which reads it and does not run it.
 * What is no option, and no value from a list, is completed as a path.
 */
final class BashCompletion {
    private static final String START =
            """
            _%1$s() {
              local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= options= values= each
              COMPREPLY=()
              # bash takes --option=value for three words.
              if [ "$word" = = ]; then
                word=
              elif [ "$before" = = ]; then
                before=${COMP_WORDS[COMP_CWORD - 2]}
              fi
              for each in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
                case $each in
                  -*) ;;
                  *) command=$each && break ;;
                esac
              done
              case $command in
            """;

    private static final String END =
            """
              esac
              case $values:$word in
                none:*) compopt +o default ;;
                path:*) ;;
                :-*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
                :*) ;;
                *) mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word") ;;
              esac
            }
            complete -o default -F _%1$s %1$s
            """;

    private BashCompletion() {}

    /** Returns the completion of a command that has subcommands. */
    static String of(CommandLine root) {
        var commands = String.join(" ", root.getSubcommands().keySet());
        var text = new StringBuilder(START.formatted(root.getCommandName()));
        text.append("    '')\n");
        text.append("      options='%s'\n".formatted(names(root.getCommandSpec())));
        text.append("      case $word in -*) ;; *) values='%s' ;; esac ;;\n".formatted(commands));
        root.getSubcommands().forEach((word, command) -> text.append(of(word, command, commands)));
        return text.append(END.formatted(root.getCommandName())).toString();
    }

    private static String of(String word, CommandLine command, String commands) {
        var lines = new ArrayList<String>();
        lines.add("    %s)".formatted(word));
        lines.add("      options='%s'".formatted(names(command.getCommandSpec())));
        var values = values(command.getCommandSpec());
        if (word.equals("help")) {
            lines.add("      case $word in -*) ;; *) values='%s' ;; esac ;;".formatted(commands));
        } else if (values.isEmpty()) {
            lines.add("      ;;");
        } else {
            lines.add("      case $before in");
            lines.addAll(values);
            lines.add("      esac ;;");
        }
        return String.join("\n", lines) + "\n";
    }

    private static Stream<OptionSpec> shown(CommandSpec spec) {
        return spec.options().stream().filter(option -> !option.hidden());
    }

    private static String names(CommandSpec spec) {
        return shown(spec)
                .flatMap(option -> Stream.of(option.names()))
                .collect(Collectors.joining(" "));
    }

    /** Returns a case for each option that has a value. */
    private static List<String> values(CommandSpec spec) {
        return shown(spec)
                .filter(option -> option.arity().max() > 0)
                .map(
                        option ->
                                "        %s) values='%s' ;;"
                                        .formatted(
                                                String.join(" | ", option.names()), value(option)))
                .toList();
    }

    private static String value(OptionSpec option) {
        var words = OptionValues.of(option);
        if (!words.isEmpty()) {
            return String.join(" ", words);
        }
        return OptionValues.isPath(option) ? "path" : "none";
    }
}
