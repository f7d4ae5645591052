#!/usr/bin/env bash
# A client of the captive game server in bash: starts the server, plays two episodes over its pipe, and leaves.
#
#     examples/captive_client.sh position_A 9 4 4 seed=7
#
# It reads legal buckets from the board's JSON and always moves the first piece that can move. The server is
# `assay-captive`; with CAPTIVE="java -Doutput=STANDARD edu.wisc.game.engine.Captive" it is the published one.
set -euo pipefail

CAPTIVE=${CAPTIVE:-assay-captive -Doutput=STANDARD}
if [ $# -eq 0 ]; then set -- shape_match 9 4 4; fi
coproc SERVER { exec $CAPTIVE "$@"; }
server=$SERVER_PID

# The next line that is not a comment, in `line`.
read_data() {
    while IFS= read -r line <&"${SERVER[0]}"; do
        [[ $line == \#* ]] || return 0
    done
    echo "the server has closed its output" >&2
    return 1
}

# A status and a board: `code`, `finish`, `attempts` and `board`.
read_reply() {
    read_data
    read -r code finish attempts <<<"$line"
    read_data
    board=$line
}

# The first piece that can move, and its first bucket: `piece` and `bucket`.
choose_move() {
    local pattern='\{"id":([0-9]+),[^{}]*"buckets":\[([0-9])'
    [[ ${board#*\[} =~ $pattern ]] || return 1
    piece=${BASH_REMATCH[1]} bucket=${BASH_REMATCH[2]}
}

play_episode() {
    read_reply
    [[ $code == 6 || $code == 2 ]]
    while [[ $finish == 0 ]] && choose_move; do
        echo "MOVE $piece $bucket" >&"${SERVER[1]}"
        read_reply
        [[ $code == 0 ]]
    done
    echo "episode $1: finish $finish after $attempts attempts"
}

play_episode 1
echo "NEW" >&"${SERVER[1]}"
play_episode 2
echo "EXIT" >&"${SERVER[1]}"
read_data
echo "left with $line"
wait "$server"
