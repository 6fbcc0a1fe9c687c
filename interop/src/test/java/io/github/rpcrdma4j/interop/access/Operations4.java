package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The operations of version 4 that a case sends if every OPEN and LOCK succeeds. */
final class Operations4 {
    private static final FileHandle HANDLE = FileHandle.of(new byte[] {1});
    private static final StateId STATEID = new StateId(1, 2, 3);
    private static final Ace NO_USER = new Ace(Ace.ALLOW, 0, 0, Who.of(""));

    /** All that a server decides by the caller's rights to a file or a directory. */
    static final Set<Opcode> ON_FILES =
            EnumSet.of(
                    Opcode.PUTFH,
                    Opcode.GETFH,
                    Opcode.SAVEFH,
                    Opcode.OPEN,
                    Opcode.OPEN_DOWNGRADE,
                    Opcode.CLOSE,
                    Opcode.DELEGRETURN,
                    Opcode.READ,
                    Opcode.WRITE,
                    Opcode.COMMIT,
                    Opcode.READ_PLUS,
                    Opcode.SEEK,
                    Opcode.ALLOCATE,
                    Opcode.DEALLOCATE,
                    Opcode.COPY,
                    Opcode.CLONE,
                    Opcode.LOCK,
                    Opcode.LOCKT,
                    Opcode.LOCKU,
                    Opcode.GETATTR,
                    Opcode.SETATTR,
                    Opcode.VERIFY,
                    Opcode.NVERIFY,
                    Opcode.ACCESS,
                    Opcode.LOOKUP,
                    Opcode.LOOKUPP,
                    Opcode.SECINFO,
                    Opcode.SECINFO_NO_NAME,
                    Opcode.READDIR,
                    Opcode.READLINK,
                    Opcode.CREATE,
                    Opcode.REMOVE,
                    Opcode.RENAME,
                    Opcode.LINK,
                    Opcode.GETXATTR,
                    Opcode.SETXATTR,
                    Opcode.LISTXATTRS,
                    Opcode.REMOVEXATTR);

    private Operations4() {}

    /**
     * @throws IllegalArgumentException if a step needs a file or a stateid that the case has not
     */
    static Set<Opcode> of(Case each, Compounds compounds) {
        var handles =
                each.files().stream()
                        .map(CaseFile::path)
                        .collect(Collectors.toMap(Function.identity(), _ -> HANDLE));
        var holding = new Holding(each.id(), 1, ByteOrder.BIG_ENDIAN, handles);
        var opcodes = EnumSet.noneOf(Opcode.class);
        for (var step : compounds.steps()) {
            var results = new ArrayList<Result>();
            for (var operation : step.build().from(holding)) {
                opcodes.add(operation.opcode());
                results.addAll(succeeded(operation));
            }
            holding.take(
                    step, new CompoundResult(Nfs4Status.OK, OpaqueName.of(new byte[0]), results));
        }
        return opcodes;
    }

    private static List<Result> succeeded(Arguments operation) {
        return switch (operation) {
            case StateArguments.Open _ ->
                    List.of(
                            new StateResult.Open(
                                    STATEID,
                                    new ChangeInfo(true, 0, 0),
                                    0,
                                    AttributeSet.NONE,
                                    new OpenDelegation.Read(STATEID, false, NO_USER, false)));
            case LockArguments.Lock _ -> List.of(new LockResult.Lock(STATEID));
            case HandleArguments.GetFh _ -> List.of(new HandleResult.GetFh(HANDLE));
            case Arguments _ -> List.of();
        };
    }
}
