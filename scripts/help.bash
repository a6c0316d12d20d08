# Prints the comment at the top of a script and exits, if the first argument is --help. Scripts source this file before they do anything.
if [[ ${1-} == --help ]]; then
    sed --quiet '2,/^[^#]/s/^# \?//p' "$0"
    exit
fi
