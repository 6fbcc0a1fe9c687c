package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.LocalPath;

/**
 * The form in which messages show the files of a tree: the path that the user typed, then the names
 * below it with terminal control characters escaped.
 *
 * @param top the path that the user typed
 * @param depth how many names of a {@link LocalPath} the top stands for
 */
record ShownPath(String top, int depth) {
    String of(LocalPath file) {
        var shown = new StringBuilder(top);
        for (var name : file.names().subList(depth, file.depth())) {
            if (!shown.isEmpty() && shown.charAt(shown.length() - 1) != '/') {
                shown.append('/');
            }
            shown.append(name.escaped());
        }
        return shown.toString();
    }
}
